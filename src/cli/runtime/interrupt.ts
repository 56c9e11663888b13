/** Ctrl-C: what runs is told to stop, the terminal is put right, and the process ends with 130. */
import { ServiceError } from '../../core/errors.ts'

const GRACE_MS = 3_000
const SHOW_CURSOR = '\x1b[?25h'

let controller: AbortController | undefined
let isListening = false

/** Begins to listen; called once, when a command starts. */
export function listenForInterrupt(): void {
  if (isListening) return
  isListening = true
  process.on('SIGINT', onInterrupt)
}

/** `serve` ends in its own way. */
export function stopListening(): void {
  process.removeListener('SIGINT', onInterrupt)
  isListening = false
}

/** Aborted at the first Ctrl-C. Who asks for it promises to end by itself, with a ServiceError `cancelled`, within 3 s. */
export function interruptSignal(): AbortSignal {
  controller ??= new AbortController()
  return controller.signal
}

/**
 * For a step that leaves no room for a listener, as a transaction does: until the answered function is called, Ctrl-C ends the
 * process at once, and what the step did so far is rolled back.
 */
export function letInterruptEnd(): () => void {
  if (!isListening) return () => {}
  stopListening()
  return listenForInterrupt
}

/** The cursor shown and the keyboard in its ordinary mode, whatever a prompt left behind. */
export function restoreTerminal(): void {
  if (process.stdin.isTTY && process.stdin.isRaw) process.stdin.setRawMode(false)
  if (process.stderr.isTTY) process.stderr.write(SHOW_CURSOR)
}

/**
 * What escaped everyone, or the cancellation that it stands for: the engine of this process throws the reason of the signal that
 * it was given; and at Ctrl-C enquirer pauses a readline that is closed already, which from Node 24 on throws where nobody can
 * catch it.
 */
export function asCancellation(thrown: unknown): unknown {
  const isOurs = controller?.signal.aborted === true && thrown === controller.signal.reason
  const isClosedReadline = thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_USE_AFTER_CLOSE'
  return isOurs || isClosedReadline ? new ServiceError('cancelled', 'Cancelled.', { cause: thrown }) : thrown
}

function onInterrupt(): void {
  restoreTerminal()
  if (!controller || controller.signal.aborted) process.exit(130)
  controller.abort()
  setTimeout(() => process.exit(130), GRACE_MS).unref()
}
