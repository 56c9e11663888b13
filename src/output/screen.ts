/** Properties of a terminal that shows a response. */
import { painter, showsColor } from './tone.ts'
import { wrapped } from './wrap.ts'

export interface Screen {
  readonly isTerminal: boolean
  /** Columns of the terminal; undefined for a pipe or a file, or if the terminal does not report its width. */
  readonly width: number | undefined
  readonly height: number | undefined
  readonly color: boolean
  /** Whether a table may be wider than the terminal (--wide). */
  readonly isWide: boolean
}

/** Returns stdout's screen; an empty one if the response goes to a pipe or to the file `out`. */
export function stdoutScreen(isWide: boolean, out?: string): Screen {
  const { stdout } = process
  const { isTTY, columns, rows } = stdout
  if (out !== undefined || !isTTY) {
    return { isTerminal: false, width: undefined, height: undefined, color: false, isWide }
  }
  // Terminals with an unknown size report 0.
  return { isTerminal: true, width: columns || undefined, height: rows || undefined, color: showsColor(stdout), isWide }
}

/** The screen for messages: the width at which lines are broken, and whether colors are used. */
export type MessageScreen = Pick<Screen, 'width' | 'color'>

/** Returns stderr's screen; an empty one if stderr is a pipe or a file. */
export function stderrScreen(): MessageScreen {
  const { stderr } = process
  if (!stderr.isTTY) return { width: undefined, color: false }
  return { width: stderr.columns || undefined, color: showsColor(stderr) }
}

/** Formats a message for a terminal: breaks lines between words, and colors the word before the colon (`Error`). */
export function messageText(text: string, { width, color }: MessageScreen): string {
  const paint = painter(color)
  return wrapped(text, width)
    .replace(/^Error:/, word => paint('bad', word))
    .replace(/^Warning:/, word => paint('busy', word))
}
