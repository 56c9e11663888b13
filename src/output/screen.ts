/** What is known about the terminal that shows an answer. */
import { showsColor } from './tone.ts'

export interface Screen {
  readonly isTerminal: boolean
  /** Columns of the terminal; undefined for a pipe or a file, and when the terminal does not report its width. */
  readonly width: number | undefined
  readonly height: number | undefined
  readonly color: boolean
  /** Whether a table may be wider than the terminal (--wide). */
  readonly isWide: boolean
}

/** Returns the screen of stdout; an empty one when the answer goes into a pipe or into the file `out`. */
export function stdoutScreen(isWide: boolean, out?: string): Screen {
  const { stdout } = process
  const { isTTY, columns, rows } = stdout
  if (out !== undefined || !isTTY) {
    return { isTerminal: false, width: undefined, height: undefined, color: false, isWide }
  }
  // A terminal that does not know its size reports 0.
  return { isTerminal: true, width: columns || undefined, height: rows || undefined, color: showsColor(stdout), isWide }
}
