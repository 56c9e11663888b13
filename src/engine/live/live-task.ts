/** Work at a live provider that is done as a whole: it has a team and a provider, which have their share of what runs. */
import type { TeamId } from '../../core/ids.ts'
import type { Pace } from './session.ts'

/** What is done. */
export type LiveKind = 'live_pull' | 'notification' | 'revocation' | 'subscription' | 'raw_answer'

/** Number of things of one kind that were done. */
export interface RanLive {
  readonly kind: LiveKind
  readonly count: number
}

/** One piece of work. */
export interface LiveTask {
  /** Differs for all tasks that are due at the same time. */
  readonly name: string
  readonly kind: Exclude<LiveKind, 'raw_answer'>
  readonly teamId: TeamId
  readonly provider: string
  /** Returns what was done. Throws what the store throws, and the signal's reason. */
  run(options: TaskOptions): Promise<readonly RanLive[]>
}

/** How a task runs. */
export interface TaskOptions {
  readonly signal: AbortSignal | undefined
  /** Whether a pull goes on until nothing is due; otherwise it makes room for others after a while. */
  readonly untilDone: boolean
  readonly pace?: Pace | undefined
  /** Called with each answer of the provider. */
  readonly answered?: (() => void) | undefined
}
