/** The end of `svc listen`: Ctrl-C, a signal or a key ask for it, and a second time it comes at once. */
import { restoreTerminal, stopListening } from '../runtime/interrupt.ts'

export interface Stop {
  readonly signal: AbortSignal
  ask(): void
  /** Signals mean again what they mean elsewhere. */
  release(): void
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export function listenForStop(): Stop {
  const controller = new AbortController()
  const ask = (): void => {
    if (controller.signal.aborted) {
      restoreTerminal()
      process.exit(130)
    }
    controller.abort()
  }
  // its own listener would end with 130
  stopListening()
  for (const name of SIGNALS) process.on(name, ask)
  return {
    signal: controller.signal,
    ask,
    release: () => {
      for (const name of SIGNALS) process.off(name, ask)
    },
  }
}
