/** Determines a call's object, using only IDs: never a client_user_id, a name or a value. See docs/security.md. */
import type { ProviderRegistry } from '../../catalogue/providers.ts'
import { member } from '../../connectors/shared/json-fields.ts'
import type { Operation } from '../../contract/kernel/operation.ts'
import type { RawInput } from '../../contract/kernel/validation.ts'
import { isUuid } from '../../core/ids.ts'

/** Path parameters whose value is a provider. */
const PROVIDER_PARAMS: ReadonlySet<string> = new Set(['provider', 'oauth_provider'])
const NUMBER = /^\d{1,12}$/

/** Returns the IDs in a call: those in the path, by parameter name, and the user in the query or body. */
export function readObjectIds(
  { path }: Pick<Operation, 'path'>,
  { params, query, body }: RawInput,
  providers: ProviderRegistry,
): Record<string, string> {
  const object: Record<string, string> = {}
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    const id = readId(name, params[name], providers)
    if (id !== undefined) object[name] = id
  }
  for (const part of [query, body]) {
    const named = member(part, 'user_id')
    if (typeof named === 'string' && isUuid(named)) object['user_id'] = named.toLowerCase()
  }
  return object
}

/** Returns a value as an ID, or undefined for free text. */
function readId(name: string, value: unknown, providers: ProviderRegistry): string | undefined {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') return undefined
  if (isUuid(value)) return value.toLowerCase()
  if (PROVIDER_PARAMS.has(name)) return providers.find(value)?.slug
  return NUMBER.test(value) ? value : undefined
}
