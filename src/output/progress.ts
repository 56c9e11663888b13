/** A progress bar on stderr, shown only on a terminal. */

interface Progress {
  /**
   * Updates the bar. `done` and `total` have the same unit; the note follows the bar. A total of 0 means that it is unknown; only the note
   * is then shown, without a bar.
   */
  update(done: number, total: number, note: string): void
  /** Changes the title and immediately draws it with its note, because the next step may not leave time for drawing. */
  phase(title: string, note?: string): void
  /** Removes the bar. */
  end(): void
}

const WIDTH = 28
const INTERVAL_MS = 80

/** The members of a terminal stream that a bar needs. */
export interface ProgressStream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** Returns a bar that redraws itself at most every 80 ms. It draws nothing if `screen` is not a terminal, or if `quiet` is set. */
export function progressBar(
  title: string,
  options: { readonly quiet: boolean; readonly screen?: ProgressStream; readonly now?: () => number },
): Progress {
  const screen = options.screen ?? process.stderr
  const now = options.now ?? Date.now
  if (options.quiet || !screen.isTTY) return { update: () => {}, phase: () => {}, end: () => {} }
  let shownTitle = title
  let drawnAt = Number.NEGATIVE_INFINITY
  let isDrawn = false
  const draw = (text: string): void => {
    drawnAt = now()
    isDrawn = true
    screen.write(`\r\x1b[2K${cut(`${shownTitle} ${text}`.trimEnd(), screen.columns)}`)
  }
  return {
    update(done, total, note) {
      const isComplete = total > 0 && done >= total
      if (now() - drawnAt < INTERVAL_MS && !isComplete) return
      if (total <= 0) return draw(note)
      const share = Math.min(1, done / total)
      const filled = Math.round(share * WIDTH)
      const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled)
      draw(`${bar} ${String(Math.floor(share * 100)).padStart(3)} % ${note}`)
    },
    phase(next, note = '') {
      shownTitle = next
      draw(note)
    },
    end() {
      if (isDrawn) screen.write('\r\x1b[2K')
      isDrawn = false
    },
  }
}

/** Shortens a line that would wrap, because a wrapped line could not be removed. Terminals with an unknown width report 0. */
function cut(line: string, columns: number | undefined): string {
  const width = columns && columns > 1 ? columns - 1 : Number.POSITIVE_INFINITY
  return line.length > width ? `${line.slice(0, width - 1)}…` : line
}
