/** Warnings on stderr for a command that used something deprecated. See docs/interface/versioning.md#versioning-2. */
import { DEPRECATIONS, type Deprecation } from '../../catalogue/deprecations.ts'
import type { Operation } from '../../contract/kernel/operation.ts'
import { type OperationId, operations } from '../../contract/operations.ts'

interface UsedInput {
  readonly params?: object | undefined
  readonly query?: object | undefined
  readonly body?: unknown
}

/**
 * Returns the warnings; an empty list if nothing deprecated was used. `headers` are the response headers, because a server may announce
 * more deprecations.
 */
export function deprecationWarnings(
  id: OperationId,
  input: UsedInput,
  headers: Readonly<Record<string, string>>,
): string[] {
  const announced = [ofOperation(operations[id], input), ...ofInputs(id, input)].filter(each => each !== undefined)
  if (announced.length > 0) return announced.map(deprecationWarning)
  if (headers['deprecation'] === undefined) return []
  const { sunset } = headers
  const until =
    sunset === undefined || !Number.isFinite(Date.parse(sunset)) ? '' : ` and will be removed on ${sunsetDay(sunset)}`
  return [`Warning: the server says that ${operations[id].path} is deprecated${until}.`]
}

function ofOperation({ deprecation, expand }: Operation, { params }: UsedInput): Deprecation | undefined {
  const value = expand && (params as Readonly<Record<string, unknown>> | undefined)?.[expand.param]
  const name = (typeof value === 'string' ? expand?.deprecations?.[value] : undefined) ?? deprecation
  return name && DEPRECATIONS[name]
}

function ofInputs(id: OperationId, { query, body }: UsedInput): Deprecation[] {
  const sent = { ...query, ...(typeof body === 'object' ? body : {}) } as Readonly<Record<string, unknown>>
  const all: readonly Deprecation[] = Object.values(DEPRECATIONS)
  return all.filter(({ input }) => input?.operation === id && (sent[input.field] ?? null) !== null)
}

function deprecationWarning({ what, replacedBy, removedOn }: Deprecation): string {
  const until = removedOn === null ? '' : `, to be removed on ${removedOn}`
  return `Warning: deprecated${until}: ${what}. Replacement: ${replacedBy}.`
}

function sunsetDay(sunset: string): string {
  return new Date(sunset).toISOString().slice(0, 10)
}
