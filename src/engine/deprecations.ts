/**
 * Applies announced removals. An operation with a removal date responds with 410 from that date, and announces the removal before then. See
 * docs/interface/versioning.md#versioning-2.
 */
import { ANNOUNCED_ON, DEPRECATIONS, type Deprecation, isServed } from '../catalogue/deprecations.ts'
import type { Operation, Reply } from '../contract/kernel/operation.ts'
import { ServiceError } from '../core/errors.ts'
import { type IsoDate, parseDate } from '../core/time.ts'
import { type Handler, ok } from './context.ts'

/** Returns the announced removal of an operation, or of the path that was used to call it. */
export function findAnnouncement(
  { deprecation, expand }: Operation,
  params: Readonly<Record<string, unknown>>,
): Deprecation | undefined {
  const value = expand?.deprecations && params[expand.param]
  const ofPath = typeof value === 'string' ? expand?.deprecations?.[value] : undefined
  const name = ofPath ?? deprecation
  return name && DEPRECATIONS[name]
}

/** Throws ServiceError `gone` (410), which names the replacement, if the operation is no longer served at the compatibility date. */
export function refuseRemoved(announced: Deprecation, at: IsoDate): void {
  if (isServed(announced, at)) return
  const { what, replacedBy, removedOn } = announced
  throw new ServiceError('gone', `Removed on ${removedOn}: ${what}. Replacement: ${replacedBy}.`, {
    headers: deprecationHeaders(announced),
  })
}

/** Returns the reply with the headers that announce the removal. */
export function withAnnouncement(reply: Reply<unknown>, announced: Deprecation): Reply<unknown> {
  return { ...reply, headers: { ...deprecationHeaders(announced), ...reply.headers } }
}

/** Returns the headers `Deprecation` (RFC 9745) and `Sunset` (RFC 8594), or none for an announcement without a date. */
function deprecationHeaders({ removedOn }: Deprecation): Record<string, string> {
  if (removedOn === null) return {}
  const seconds = (parseDate(ANNOUNCED_ON) as number) / 1000
  return { deprecation: `@${seconds}`, sunset: new Date(parseDate(removedOn) as number).toUTCString() }
}

export const listDeprecations: Handler<'deprecation.list'> = async (_engine, _input, { compatibilityDate }) =>
  ok({
    compatibility_date: compatibilityDate,
    deprecations: Object.entries(DEPRECATIONS).map(([name, each]) => ({
      name,
      kind: each.kind,
      what: each.what,
      replaced_by: each.replacedBy,
      removed_on: each.removedOn,
      is_served: isServed(each, compatibilityDate),
    })),
  })
