/** Parses `--fields` and `--jq`. */
import { ServiceError } from '../../core/errors.ts'
import { type FieldPath, parseFields } from './fields.ts'

/** The parts of a response to keep. */
export type Selection =
  | { readonly kind: 'fields'; readonly paths: readonly FieldPath[] }
  | { readonly kind: 'jq'; readonly expression: string }

/** Returns the selection from the flags; undefined without flags. Throws ServiceError `usage`. */
export function parseSelection(fields: string | undefined, jq: string | undefined): Selection | undefined {
  if (fields !== undefined) return { kind: 'fields', paths: parseFields(fields) }
  return jq === undefined ? undefined : { kind: 'jq', expression: jq }
}

/** Throws ServiceError `usage` for an --output that does not support a selection. */
export function checkSelectable({ kind }: Selection, output: string | undefined): void {
  if (output === 'json' || output === 'ndjson') return
  throw new ServiceError('usage', `--${kind} and --output ${output} cannot be used together.`, {
    suggestions: [`--${kind} prints JSON. Use --output json, --output ndjson or no --output.`],
  })
}
