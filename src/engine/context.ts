/** What every handler is given: the engine's parts, and who is calling. */
import type { EmptyReply, HandlerInput, JsonReply, Reply, ReplyBody, ThreadName } from '../contract/kernel/operation.ts'
import type { RawInput } from '../contract/kernel/validation.ts'
import type { OperationId, Operations } from '../contract/operations.ts'
import type { RealTime } from '../core/clock.ts'
import type { UserId } from '../core/ids.ts'
import type { RandomSource } from '../core/random.ts'
import type { EpochMs, IsoDate } from '../core/time.ts'
import type { Store } from '../store/port.ts'
import type { TeamRecord } from '../store/team.ts'
import type { UserJobKind } from '../store/upkeep.ts'

/** The engine's parts, injected: with the same clock, chance and public URL two engines give the same bytes (design 2). */
export interface EngineContext {
  readonly store: Store
  readonly time: RealTime
  readonly random: RandomSource
  /** Seed of the synthetic people. */
  readonly seed: string
  /** Where a browser reaches the service, without a trailing slash, or null when no server runs. */
  readonly publicUrl: () => string | null
  /** 32 bytes: signs cursors. */
  readonly masterKey: () => Uint8Array
  /** Private folder for files on their way in. */
  readonly scratchDir: string
  /** Most samples a timeseries page holds. */
  readonly pageSize: number
  /** Webhooks may go to private networks. */
  readonly allowPrivateTargets: boolean
  /** Whose webhooks may go to this machine: those with a URL that an operator set, anybody's, or nobody's. */
  readonly loopbackTargets: 'operator' | 'any' | 'none'
  /** Does what takes long elsewhere: a server has threads for it. Absent: it is done here. */
  readonly apart?: Apart | undefined
}

/** Where long work is done that is not to hold up the others. */
export interface Apart {
  /** Throws what the operation throws. */
  operation(thread: ThreadName, id: OperationId, request: EngineRequest): Promise<Reply<unknown>>
  /** What is due of users. Throws the signal's reason, and what a job throws. */
  jobs(options: JobRunOptions): Promise<readonly RanJobs[]>
}

/** One operation that is asked for. */
export interface EngineRequest {
  readonly input: RawInput
  readonly credentials: Credentials
  /** Who calls, where that is known already; otherwise the credentials say it. */
  readonly caller?: Caller | undefined
  readonly accept: string
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined
  /** Told who calls before anything is done for them; it may throw (a rate limit). */
  readonly admit?: ((caller: Caller) => void) | undefined
  /** Asked when the caller was let in: the reply of a call that runs elsewhere for its body, or null: it runs as any other. */
  readonly elsewhere?: ((caller: Caller) => Promise<Reply<unknown> | null>) | undefined
}

/** Which jobs are to run. */
export interface JobRunOptions {
  readonly now: EpochMs
  /** Whose jobs; null: all. */
  readonly userIds: readonly UserId[] | null
  readonly signal?: AbortSignal | undefined
}

/** How many jobs of a kind ran. */
export interface RanJobs {
  readonly kind: UserJobKind
  readonly count: number
}

/** Who calls: with what the headers held, or as a team that is already known (the embedded engine): it may do all. */
export type Credentials =
  | { readonly kind: 'headers'; readonly apiKey: string | null; readonly linkToken: string | null }
  | { readonly kind: 'team'; readonly team: TeamRecord; readonly linkToken: string | null }

/** Where an import is: its bytes arrive, are unpacked and read, and go into the store (or are compared with it) in one step. */
export type ImportPhase = 'receiving' | 'unpacking' | 'reading' | 'storing' | 'comparing'

export interface ImportProgress {
  readonly phase: ImportPhase
  /** Of the phase. The total is 0 where nobody knows it. */
  readonly doneBytes: number
  readonly totalBytes: number
  readonly records: number
}

/** Who calls, as the audit trail names it. */
export type Actor = 'local' | 'link_token' | 'anyone' | `key:${string}`

/** Whoever is calling, once that is known. */
export interface Caller {
  readonly team: TeamRecord | null
  readonly linkToken: string | null
  readonly actor: Actor
  /** Whether it may do what is about all teams or the store itself. */
  readonly isOperator: boolean
}

/** One call as a handler sees it. */
export interface CallContext {
  readonly actor: Actor
  readonly isOperator: boolean
  /** The day whose deprecations apply: the team's, else the clock's today. */
  readonly compatibilityDate: IsoDate
  /** Names what the call makes, for the audit trail: ids alone, before the first write. */
  readonly about: (name: string, id: string) => void
  /**
   * Writes, and answers with what `reply` makes of the outcome of that write. Under an idempotency key the answer is kept with the
   * change, in one transaction: `reply` then runs inside it, and may not wait for anything.
   */
  readonly settle: <T, R extends Reply<unknown>>(write: () => Promise<T>, reply: (outcome: T) => R) => Promise<R>
  /** The calling team; for a link token without an API key, the token's team is found by the handler. */
  readonly team: TeamRecord | null
  readonly linkToken: string | null
  /** Media types the caller takes, as in an Accept header. */
  readonly accept: string
  /** The engine's now, read once when the call began. */
  readonly now: EpochMs
  readonly signal: AbortSignal | undefined
  readonly onProgress: ((progress: ImportProgress) => void) | undefined
  /** Runs another operation, for one that is made of others (a replay). */
  readonly operate: (
    engine: EngineContext,
    id: OperationId,
    request: Pick<CallContext, 'accept'> & {
      readonly input: RawInput
      readonly credentials: Credentials
    },
  ) => Promise<Reply<unknown>>
}

/** Without an idempotency key. */
export const writeAndReply: CallContext['settle'] = async (write, reply) => reply(await write())

/** The same call for a handler that runs as a part of another one: its answer is not that of the call. */
export function asPartOf<C extends CallContext>(call: C): C {
  return Object.assign(Object.create(call) as C, { settle: writeAndReply })
}

/** A call of an operation that needs an API key: the team is known. */
export interface TeamCall extends CallContext {
  readonly team: TeamRecord
}

export type CallOf<K extends OperationId> = Operations[K]['auth'] extends 'api_key' ? TeamCall : CallContext

export type Handler<K extends OperationId> = (
  engine: EngineContext,
  input: HandlerInput<Operations[K]>,
  call: CallOf<K>,
) => Promise<Reply<ReplyBody<Operations[K]>>>

/** A 200 answer in JSON. */
export function ok<T>(body: T): JsonReply<T> {
  return { kind: 'json', status: 200, headers: {}, body }
}

/** A 204 answer: done, and nothing to say. */
export function done(): EmptyReply {
  return { kind: 'empty', status: 204, headers: {} }
}
