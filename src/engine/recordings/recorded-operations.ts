/** Which calls a recording holds: those that change what is known of users. */
import type { OperationId } from '../../contract/operations.ts'

/**
 * Of the calls that change something, those that are not recorded. Keys and endpoints are about who is around, not about users;
 * a snapshot that is restored, and a reset, end a recording; what webhooks are sent again changes no data.
 */
export const NOT_RECORDED: readonly string[] = [
  'key.create',
  'key.revoke',
  'webhook.*',
  'event.resend',
  'events.resend',
  'snapshot.*',
  'engine.reset',
  'engine.run_due',
  'engine.check',
  'fault.*',
  'recording.*',
]

/** A new team comes with its first key: the team alone is kept. */
export const RECORDED_AS_TEAMS: ReadonlySet<OperationId> = new Set(['team.create'])

/** Whether a change by this operation goes onto the tape. */
export function isRecorded(id: OperationId): boolean {
  return !NOT_RECORDED.some(each => (each.endsWith('.*') ? id.startsWith(each.slice(0, -1)) : id === each))
}
