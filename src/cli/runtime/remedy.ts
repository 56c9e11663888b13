/** Splits an error message into the reason and the remedy, because programs read them from two fields. */
import type { ServiceError } from '../../core/errors.ts'

/** Words that a remedy starts with. */
const VERBS =
  'add|allow|ask|call|check|choose|close|copy|correct|create|delete|enable|export|free|give|import|install|leave|list|make|map|move|' +
  'name|open|pass|put|read|reload|remove|rename|repeat|replace|restore|run|save|see|select|send|set|shorten|sign|split|start|switch|' +
  'try|undo|unlock|update|use|wait|write'

/**
 * Matches the position before a sentence, or a clause after a semicolon, that gives advice or names a helpful command. The advice may begin
 * with a purpose or condition, as in "To continue, run it again".
 */
const REMEDY = new RegExp(
  `(?<=[.!?]) (?=(?:${capital(VERBS)}|(?:To|For|If) \\w[^.]*, (?:${VERBS}))\\b|\`svc )` +
    `|; (?=(?:(?:to|for|if) \\w[^.;]*, )?(?:${VERBS})\\b)`,
)

export interface ErrorMessage {
  readonly reason: string
  /** The remedies; empty if the message has none. */
  readonly remedies: readonly string[]
}

/** Splits the message of an error before each remedy. A list of several issues is not split, because each issue names its own field. */
export function splitMessage({ message, body: { detail } }: Pick<ServiceError, 'message' | 'body'>): ErrorMessage {
  if (Array.isArray(detail) && detail.length > 1) return { reason: message, remedies: [] }
  const [reason = '', ...remedies] = message.split(REMEDY)
  const hasEnd = /[.!?]$/.test(message)
  return {
    reason: remedies.length > 0 && hasEnd ? ended(reason) : reason,
    remedies: remedies.map(each => ended(each.slice(0, 1).toUpperCase() + each.slice(1))),
  }
}

function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

function capital(verbs: string): string {
  return verbs.replace(/\b[a-z]/g, first => first.toUpperCase())
}
