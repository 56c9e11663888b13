/** Determines which calls are recorded: those that change data about users. */
import type { OperationId } from '../../contract/operations.ts'

/**
 * Calls that change something but are not recorded. Keys, people, sessions, endpoints and OAuth apps are not data about users. A link to a live
 * provider cannot be repeated without the provider. Restoring a snapshot or resetting the store ends a recording. Resending webhooks
 * changes no data.
 */
export const NOT_RECORDED: readonly string[] = [
  'key.create',
  'key.revoke',
  'console.*',
  'person.*',
  'session.*',
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

/** Operations of which only the team is recorded, because a new team is created with its first key. */
export const RECORDED_AS_TEAMS: ReadonlySet<OperationId> = new Set(['team.create'])

/** Returns whether changes by this operation are recorded. */
export function isRecorded(id: OperationId): boolean {
  return !NOT_RECORDED.some(each => (each.endsWith('.*') ? id.startsWith(each.slice(0, -1)) : id === each))
}
