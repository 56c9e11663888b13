/** What brings an event of some type about: a change of a user's data, made by the functions that make it otherwise. */
import { ServiceError } from '../../core/errors.ts'
import type { EpochMs } from '../../core/time.ts'
import type { UserRecord } from '../../store/user.ts'
import type { EngineContext, TeamCall } from '../context.ts'
import type { GivenValue } from './given.ts'

/** What is asked for. */
export interface Wanted {
  readonly engine: EngineContext
  readonly call: TeamCall
  readonly user: UserRecord
  readonly type: string
  readonly given: readonly GivenValue[]
  /** The time of the data, where one was named. */
  readonly at: EpochMs | null
  /** How many changes. */
  readonly count: number
}

/** Makes the changes. Throws 409 when there is nothing to change and nothing to begin with, 422 for what cannot be set. */
export type Cause = (wanted: Wanted) => Promise<void>

/** 409: why it cannot be brought about, and what to do. */
export function cannot(message: string, ...suggestions: readonly string[]): ServiceError {
  return new ServiceError('conflict', message, { suggestions })
}

/** 409 for types that no change of data causes. */
export function withoutCause(type: string): ServiceError {
  return cannot(
    `Nothing in this engine causes ${type}.`,
    `\`svc event trigger ${type} --user USER --only-event\` writes the event alone.`,
  )
}
