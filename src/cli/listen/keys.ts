/** The keys of `svc listen`: r resends the last event, i inspects an event, and q quits. */
import type { Board } from './board.ts'
import { listenToKeys } from './keyboard.ts'
import { NumberPrompt } from './number-prompt.ts'
import type { ListenSession } from './session.ts'

export const KEY_HELP = 'Keys: r resend the last event, i inspect one, q quit'

interface KeyTargets {
  readonly session: Pick<ListenSession, 'resendLast' | 'inspect'>
  readonly board: Board
  readonly stop: () => void
  /** Called when the prompt was closed without an answer, which also stops listening. */
  readonly cancel: () => void
}

/** Handles keys until the returned function is called. */
export function bindKeys({ session, board, stop, cancel }: KeyTargets): () => void {
  // Bypasses the board, because only the prompt may be drawn while lines wait.
  const draw = (text: string): void => void process.stderr.write(text)
  let prompt: NumberPrompt | undefined
  const choose = (digits: string | null): void => {
    prompt = undefined
    board.release()
    if (digits !== null) void session.inspect(digits === '' ? null : Number(digits))
  }
  const actions: Readonly<Record<string, () => void>> = {
    q: stop,
    r: () => void session.resendLast(),
    i: () => {
      board.hold()
      prompt = new NumberPrompt('Event number (Enter for the last one, Esc to cancel):', draw, choose)
    },
    '?': () => board.remark(`${KEY_HELP}.`),
    // Enter prints an empty line to mark a position in the output.
    '\r': () => board.remark(''),
  }
  const onKey = (key: string): void => {
    if (prompt) prompt.press(key)
    else actions[key.toLowerCase()]?.()
  }
  const end = (leave: () => void): void => {
    if (prompt) draw('\r\x1b[2K')
    board.release()
    leave()
  }
  return listenToKeys({
    onKey,
    onEnd: () => end(stop),
    onEndOfInput: () => end(prompt ? cancel : stop),
  })
}
