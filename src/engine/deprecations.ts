/** What was announced to go: a dated operation answers 410 from its day on, and says so before (interface.md 9.3, 9.4). */
import { ANNOUNCED_ON, DEPRECATIONS, type Deprecation, isServed } from '../catalogue/deprecations.ts'
import type { Operation, Reply } from '../contract/kernel/operation.ts'
import { ServiceError } from '../core/errors.ts'
import { type IsoDate, parseDate } from '../core/time.ts'
import { type Handler, ok } from './context.ts'

/** What announced the end of an operation, or of the path of it that is called. */
export function announcementOf(
  { deprecation, expand }: Operation,
  params: Readonly<Record<string, unknown>>,
): Deprecation | undefined {
  const value = expand?.deprecations && params[expand.param]
  const ofPath = typeof value === 'string' ? expand?.deprecations?.[value] : undefined
  const name = ofPath ?? deprecation
  return name && DEPRECATIONS[name]
}

/** Throws ServiceError `gone` (410), which names the replacement, when it is not served any more at the compatibility date. */
export function refuseRemoved(announced: Deprecation, at: IsoDate): void {
  if (isServed(announced, at)) return
  const { what, replacedBy, removedOn } = announced
  throw new ServiceError('gone', `Removed on ${removedOn}: ${what}. In its place: ${replacedBy}.`, {
    headers: headersOf(announced),
  })
}

/** The reply with the headers that announce the end of what answered. */
export function withAnnouncement(reply: Reply<unknown>, announced: Deprecation): Reply<unknown> {
  return { ...reply, headers: { ...headersOf(announced), ...reply.headers } }
}

/** `Deprecation` (RFC 9745) and `Sunset` (RFC 8594); nothing of what has no date. */
function headersOf({ removedOn }: Deprecation): Record<string, string> {
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
