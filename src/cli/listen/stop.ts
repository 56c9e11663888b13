/** Ends `svc listen` on Ctrl-C, a signal or a key. A second one ends it immediately. */
import { restoreTerminal, stopListening } from '../runtime/interrupt.ts'

export interface Stop {
  readonly signal: AbortSignal
  /** Whether `cancel` was called. The command then exits with 130. */
  readonly isCancelled: boolean
  ask(): void
  cancel(): void
  /** Stops handling the signals. */
  release(): void
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Listens for a stop; `signals` are the signals that request it. */
export function listenForStop(signals: readonly NodeJS.Signals[] = SIGNALS): Stop {
  const controller = new AbortController()
  let isCancelled = false
  const ask = (): void => {
    if (controller.signal.aborted) {
      restoreTerminal()
      process.exit(130)
    }
    controller.abort()
  }
  // The default listener would exit with 130.
  stopListening()
  for (const name of signals) process.on(name, ask)
  return {
    signal: controller.signal,
    get isCancelled() {
      return isCancelled
    },
    ask,
    cancel: () => {
      isCancelled = true
      ask()
    },
    release: () => {
      for (const name of signals) process.off(name, ask)
    },
  }
}
