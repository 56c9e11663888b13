/** Reads single keys from a terminal, and restores the terminal at every exit. */
import { restoreTerminal } from '../runtime/interrupt.ts'

const CTRL_C = '\x03'
const CTRL_D = '\x04'
const CTRL_Z = '\x1a'
const ESCAPE = '\x1b'

export interface KeyHandlers {
  /** Called for every key that is not a terminal control: letters, digits, `\r`, `\x7f`, and Escape as `\x1b`. */
  readonly onKey: (key: string) => void
  /** Called for Ctrl-C and when the terminal closes. */
  readonly onEnd: () => void
  /** Called for Ctrl-D, the end of the input. */
  readonly onEndOfInput: () => void
}

/** Listens until the returned function is called; stdin must be a terminal. */
export function listenToKeys({ onKey, onEnd, onEndOfInput }: KeyHandlers): () => void {
  const { stdin } = process
  const onData = (text: string): void => {
    // An arrow or another named key arrives as one sequence and is ignored here.
    if (text.length > 1 && text.startsWith(ESCAPE)) return
    for (const key of text) {
      if (key === CTRL_C) onEnd()
      else if (key === CTRL_D) onEndOfInput()
      else if (key === CTRL_Z) suspend()
      else onKey(key)
    }
  }
  const resume = (): void => {
    stdin.setRawMode(true)
  }
  stdin.setEncoding('utf8')
  stdin.setRawMode(true)
  stdin.on('data', onData).on('end', onEnd).on('error', onEnd)
  process.on('SIGCONT', resume).on('exit', restoreTerminal)
  return () => {
    stdin.off('data', onData).off('end', onEnd).off('error', onEnd)
    process.off('SIGCONT', resume).off('exit', restoreTerminal)
    restoreTerminal()
    // Without this, stdin would keep the process alive.
    stdin.pause()
    stdin.unref()
  }
}

/** Suspends the process, as the terminal itself does in normal mode. */
function suspend(): void {
  restoreTerminal()
  process.kill(process.pid, 'SIGTSTP')
}
