/** Maps fields of the service to the flags and arguments that fill them, for error messages. */
import { describeLoc, type ValidationIssue } from '../../core/errors.ts'
import { isGiven } from '../runtime/command-line.ts'

/** A command's flags and arguments, and the command line it was called with. */
export interface CommandWords {
  readonly flags?: readonly string[]
  readonly args?: readonly string[]
  readonly argv?: readonly string[]
}

/**
 * The flags or arguments that may fill a field; the first one that the command has is used. A field without an entry is filled by a flag or
 * argument of the same name.
 */
const FILLED_BY: Readonly<Record<string, readonly string[]>> = {
  advance: ['duration'],
  column: ['function'],
  device_id: ['device'],
  end_date: ['end'],
  endpoint_id: ['endpoint'],
  event_id: ['event'],
  event_types: ['event-type'],
  filter_on_providers: ['filter'],
  keep_import_days: ['keep-imports'],
  import_ids: ['import_id'],
  key_id: ['key'],
  lab_account_id: ['lab-account'],
  lab_id: ['lab-id', 'lab'],
  lab_test_ids: ['lab-test'],
  lab_test_limit: ['limit'],
  marker_ids: ['marker'],
  next_cursor: ['cursor'],
  order_id: ['order'],
  other_session_id: ['other'],
  passkey_id: ['passkey'],
  person_id: ['person'],
  provider_ids: ['code'],
  overlap_hours: ['overlap'],
  query_id: ['text'],
  scopes: ['grant', 'scope'],
  session_id: ['session'],
  set: ['instant'],
  start_date: ['start'],
  user_limit: ['limit', 'max-users'],
  'x-idempotency-key': ['idempotency-key'],
}

/** Returns `--limit`, `ORDER`, or the path in the request if neither a flag nor an argument fills it. */
export function fieldName(loc: ValidationIssue['loc'], words: CommandWords): string {
  const location = typeof loc.at(-1) === 'number' ? loc.slice(0, -1) : loc
  return wordFor(String(location.at(-1)), location.length <= 2, words) ?? describeLoc(loc)
}

/** The message about a malformed ID in a path, which the service sends only as text. */
const MALFORMED_ID = /^Invalid format for parameter (\w+)(?=: )/

/** Replaces the field name in the message about a malformed ID in a path. */
export function withFieldName(message: string, words: CommandWords): string {
  return message.replace(MALFORMED_ID, (original, field: string) => wordFor(field, true, words) ?? original)
}

/** Returns the location of the malformed ID that a message is about; undefined for other messages. */
export function malformedId(message: string): ValidationIssue['loc'] | undefined {
  const [, field] = MALFORMED_ID.exec(message) ?? []
  return field === undefined ? undefined : ['path', field]
}

/** Returns the flag or argument that fills a field. A nested field has one only if flags built the document. */
function wordFor(field: string, isShallow: boolean, { flags = [], args = [], argv = [] }: CommandWords) {
  const isOfFlags = isShallow || (flags.includes('file') && !isGiven(argv, 'file'))
  for (const name of [field, field.replaceAll('_', '-'), ...(FILLED_BY[field] ?? [])]) {
    if (flags.includes(name) && (isOfFlags || isGiven(argv, name))) return `--${name}`
    if (args.includes(name) && isShallow) return name.toUpperCase()
  }
  return undefined
}
