/** Single keys from a terminal, which is put right again on every way out. */
import { restoreTerminal } from '../runtime/interrupt.ts'

const CTRL_C = '\x03'
const CTRL_D = '\x04'
const CTRL_Z = '\x1a'
const ESCAPE = '\x1b'

export interface KeyHandlers {
  /** Every key that is not a control of the terminal: letters, digits, `\r`, `\x7f`, and Escape as `\x1b`. */
  readonly onKey: (key: string) => void
  /** Ctrl-C, Ctrl-D, or the terminal went away. */
  readonly onEnd: () => void
}

/** Listens until the answered function is called; stdin must be a terminal. */
export function listenToKeys({ onKey, onEnd }: KeyHandlers): () => void {
  const { stdin } = process
  const onData = (text: string): void => {
    // an arrow or another named key comes as one sequence, and means nothing here
    if (text.length > 1 && text.startsWith(ESCAPE)) return
    for (const key of text) {
      if (key === CTRL_C || key === CTRL_D) onEnd()
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
    // else it would keep the process
    stdin.pause()
    stdin.unref()
  }
}

/** What the terminal does by itself when its keyboard is in the ordinary mode. */
function suspend(): void {
  restoreTerminal()
  process.kill(process.pid, 'SIGTSTP')
}
