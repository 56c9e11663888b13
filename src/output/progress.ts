/** A progress bar on stderr, on a terminal only. */

interface Progress {
  /** Done and total in the same unit; a note stands behind the bar. */
  update(done: number, total: number, note: string): void
  /** Takes the bar away. */
  end(): void
}

const WIDTH = 28
const INTERVAL_MS = 80

/** The part of a terminal's stream that a bar needs. */
export interface Screen {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** A bar that redraws itself at most every 80 ms; nothing at all when `screen` is no terminal or `quiet`. */
export function progressBar(
  title: string,
  options: { readonly quiet: boolean; readonly screen?: Screen; readonly now?: () => number },
): Progress {
  const screen = options.screen ?? process.stderr
  const now = options.now ?? Date.now
  if (options.quiet || !screen.isTTY) return { update: () => {}, end: () => {} }
  let drawnAt = Number.NEGATIVE_INFINITY
  let isDrawn = false
  return {
    update(done, total, note) {
      if (now() - drawnAt < INTERVAL_MS && done < total) return
      drawnAt = now()
      isDrawn = true
      const share = total > 0 ? Math.min(1, done / total) : 0
      const filled = Math.round(share * WIDTH)
      const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled)
      screen.write(`\r\x1b[2K${title} ${bar} ${String(Math.floor(share * 100)).padStart(3)} % ${note}`)
    },
    end() {
      if (isDrawn) screen.write('\r\x1b[2K')
      isDrawn = false
    },
  }
}
