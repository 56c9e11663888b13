/** Decides which calls are recorded: those that change data about users. */
import type { OperationId } from '../../contract/operations.ts'

/**
 * Calls that change something and are not recorded. Keys, sessions, endpoints and OAuth apps are not data about users; a link to a live
 * provider cannot be repeated without the provider; restoring a snapshot and resetting end a recording; sending webhooks again changes no
 * data.
 */
export const NOT_RECORDED: readonly string[] = [
  'key.create',
  'key.revoke',
  'console.*',
  'webhook.*',
  'provider.setup',
  'provider.teardown',
  'link.oauth_callback',
  'event.resend',
  'events.resend',
  'snapshot.*',
  'engine.reset',
  'engine.run_due',
  'engine.check',
  'fault.*',
  'recording.*',
]

/** Operations recorded as a team only, because a new team is created with its first key. */
export const RECORDED_AS_TEAMS: ReadonlySet<OperationId> = new Set(['team.create'])

/** Whether a change by this operation is recorded. */
export function isRecorded(id: OperationId): boolean {
  return !NOT_RECORDED.some(each => (each.endsWith('.*') ? id.startsWith(each.slice(0, -1)) : id === each))
}
