/** Defines how to cause an event of a given type: by changing a user's data with the functions that every other change uses. */
import { ServiceError } from '../../core/errors.ts'
import type { EpochMs } from '../../core/time.ts'
import type { UserRecord } from '../../store/user.ts'
import type { EngineContext, TeamCall } from '../context.ts'
import type { GivenValue } from './given.ts'

/** The requested values. */
export interface TriggerCause {
  readonly engine: EngineContext
  readonly call: TeamCall
  readonly user: UserRecord
  readonly type: string
  readonly given: readonly GivenValue[]
  /** The data's time, or null if no time was given. */
  readonly at: EpochMs | null
  /** Number of changes to make. */
  readonly count: number
}

/** Makes the changes. Throws 409 if there is nothing to change or to start from, and 422 for values that cannot be set. */
export type Cause = (wanted: TriggerCause) => Promise<void>

/** Returns the 409 error that explains why an event cannot be caused, and what to do. */
export function cannot(message: string, ...suggestions: readonly string[]): ServiceError {
  return new ServiceError('conflict', message, { suggestions })
}

/** Returns the 409 error for event types that no change of data causes. */
export function withoutCause(type: string): ServiceError {
  return cannot(
    `No data change causes ${type}.`,
    `\`svc event trigger ${type} --user USER --only-event\` writes only the event.`,
  )
}
