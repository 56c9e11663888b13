/** Defines a unit of work at a live provider. Each pair of team and provider has a share of the running tasks. */
import type { TeamId } from '../../core/ids.ts'
import type { Pace } from './session.ts'

/** The kind of work that was done. */
export type LiveKind = 'live_pull' | 'notification' | 'revocation' | 'subscription' | 'raw_answer'

/** Number of items of one kind that were processed. */
export interface RanLive {
  readonly kind: LiveKind
  readonly count: number
}

/** A task: one unit of work. */
export interface LiveTask {
  /** Unique among all tasks that are due at the same time. */
  readonly name: string
  readonly kind: Exclude<LiveKind, 'raw_answer'>
  readonly teamId: TeamId
  readonly provider: string
  /** Runs the task and returns the work that was done. Throws any store error, and the signal's reason. */
  run(options: TaskOptions): Promise<readonly RanLive[]>
}

/** The conditions under which a task runs. */
export interface TaskOptions {
  readonly signal: AbortSignal | undefined
  /** Whether a pull continues until nothing is due. Otherwise, it ends after a while so that others can run. */
  readonly untilDone: boolean
  readonly pace?: Pace | undefined
  /** Called for each provider response. */
  readonly onActivity?: (() => void) | undefined
}
