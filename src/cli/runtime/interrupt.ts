/** Handles Ctrl-C: signals running work to stop, restores the terminal, and exits with 130. */
import { ServiceError } from '../../core/errors.ts'

const GRACE_MS = 3_000
const SHOW_CURSOR = '\x1b[?25h'

// global, because the process has only one SIGINT handler
let controller: AbortController | undefined
let isListening = false

/** Starts listening; called once, when a command starts. */
export function listenForInterrupt(): void {
  if (isListening) return
  isListening = true
  process.on('SIGINT', onInterrupt)
}

/** Stops listening, for commands such as `serve` that handle Ctrl-C themselves. */
export function stopListening(): void {
  process.removeListener('SIGINT', onInterrupt)
  isListening = false
}

/** Returns a signal that is aborted at the first Ctrl-C. A caller must then end within 3 s, with a ServiceError `cancelled`. */
export function interruptSignal(): AbortSignal {
  controller ??= new AbortController()
  return controller.signal
}

/**
 * Lets Ctrl-C end the process immediately and roll back the current step, until the returned function is called. For steps during which no
 * listener can run, such as a transaction.
 */
export function letInterruptEnd(): () => void {
  if (!isListening) return () => {}
  stopListening()
  return listenForInterrupt
}

/** Shows the cursor and sets the keyboard to normal mode, whatever state a prompt left behind. */
export function restoreTerminal(): void {
  if (process.stdin.isTTY && process.stdin.isRaw) process.stdin.setRawMode(false)
  if (process.stderr.isTTY) process.stderr.write(SHOW_CURSOR)
}

/** Function that cancels the open prompt; undefined if none is open. */
let cancelPrompt: (() => void) | undefined

/** Registers the function that cancels the open prompt, or undefined after the prompt has ended. */
export function setOpenPrompt(cancel: (() => void) | undefined): void {
  cancelPrompt = cancel
}

/**
 * Cancels the open prompt if it caused this uncaught error, and returns whether it did. On Ctrl-C, enquirer pauses a readline that is
 * already closed. From Node 24 on, this throws an error that no caller can catch, but the command must still know which step was cancelled.
 */
export function cancelsOpenPrompt(thrown: unknown): boolean {
  if (!isClosedReadline(thrown) || cancelPrompt === undefined) return false
  cancelPrompt()
  return true
}

/**
 * Returns the error to report: `cancelled` for errors that Ctrl-C caused, otherwise the thrown value. The embedded engine throws its
 * signal's reason.
 */
export function asCancellation(thrown: unknown): unknown {
  const isOurs = controller?.signal.aborted === true && thrown === controller.signal.reason
  return isOurs || isClosedReadline(thrown) ? new ServiceError('cancelled', 'Cancelled.', { cause: thrown }) : thrown
}

function isClosedReadline(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_USE_AFTER_CLOSE'
}

function onInterrupt(): void {
  restoreTerminal()
  if (!controller || controller.signal.aborted) process.exit(130)
  controller.abort()
  setTimeout(() => process.exit(130), GRACE_MS).unref()
}
