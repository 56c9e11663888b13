/** Defines what every handler receives: the parts of the engine and the caller. */
import type { ProviderRegistry } from '../catalogue/providers.ts'
import type { Role } from '../catalogue/roles.ts'
import type { EmptyReply, HandlerInput, JsonReply, Reply, ReplyBody, ThreadName } from '../contract/kernel/operation.ts'
import type { RawInput } from '../contract/kernel/validation.ts'
import type { OperationId, Operations } from '../contract/operations.ts'
import type { RealTime } from '../core/clock.ts'
import type { UserId } from '../core/ids.ts'
import type { RandomSource } from '../core/random.ts'
import type { EpochMs, IsoDate } from '../core/time.ts'
import type { Store } from '../store/port.ts'
import type { Count, TeamRecord } from '../store/team.ts'
import type { UserJobKind } from '../store/upkeep.ts'
import type { Mapping } from './live/mapping/mapping.ts'
import type { LiveObservation } from './live/observation.ts'

/**
 * The injected parts of the engine. Two engines with the same clock, randomness and public URL produce the same bytes. See
 * docs/architecture.md.
 */
export interface EngineContext {
  readonly store: Store
  readonly providers: ProviderRegistry
  /** Opens a separate, empty store in a scratch file. `time` is its real time. */
  readonly scratchStore: (path: string, time: RealTime) => Store
  readonly time: RealTime
  /** Real time, even while a recorded change freezes `time`. Used for leases, limits and waits at live providers. */
  readonly wall: RealTime
  readonly random: RandomSource
  /** Seed for the synthetic people. */
  readonly seed: string
  /** URL at which browsers reach the service, without a trailing slash, or null if no server is running. */
  readonly publicUrl: () => string | null
  /** URL of the console, without a trailing slash, or null if no server serves it. */
  readonly consoleUrl: () => string | null
  /** 32 bytes for sealing secrets and signing cursors. */
  readonly masterKey: () => Uint8Array
  /** Private folder for files that are being received. */
  readonly scratchDir: string
  /** Maximum number of samples on a timeseries page. */
  readonly pageSize: number
  /** Whether webhooks can be sent to private networks. */
  readonly allowPrivateTargets: boolean
  /** Which webhooks can be sent to this machine: all, none, or only those whose URL was set by an operator. */
  readonly loopbackTargets: 'operator' | 'any' | 'none'
  /** Runs long work elsewhere: a server has threads for it. If absent, the work runs here. */
  readonly apart?: Apart | undefined
  /** Parses and maps live providers' responses elsewhere. If absent, they are mapped here. */
  readonly mapping?: Mapping | undefined
  /** Receives observations about live providers. A server counts them. */
  readonly observe?: ((observation: LiveObservation) => void) | undefined
  /** Adds to one of a team's counters. The store itself reports what is written. If absent, nothing is counted. */
  readonly count?: ((count: Count) => void) | undefined
}

/** Runs long work elsewhere, so that it does not block other calls. */
export interface Apart {
  /** Runs an operation. Throws the operation's errors. */
  operation(thread: ThreadName, id: OperationId, request: EngineRequest): Promise<Reply<unknown>>
  /** Runs users' due jobs. Throws the signal's reason, and any error from a job. */
  jobs(options: JobRunOptions): Promise<readonly RanJobs[]>
  /** Starts a loop that pulls the collections that are due at live providers. */
  live(options: LiveRunOptions): LiveRun
}

export interface LiveRunOptions {
  /** Receives an occasional log line, without IDs. */
  readonly log: (line: string) => void
  /** Called for every error. Failed work is retried later. */
  readonly failed: (error: unknown) => void
}

export interface LiveRun {
  /** Checks for due work immediately. */
  look(): void
  /** Stops the loop, and resolves when nothing is running any more. Unfinished work stays due. */
  stop(): Promise<void>
  /** Resolves when the loop has been stopped or cannot continue. */
  readonly ended: Promise<void>
}

/** A request for one operation. */
export interface EngineRequest {
  readonly input: RawInput
  readonly credentials: Credentials
  /** The caller, if already known. Otherwise, the credentials identify the caller. */
  readonly caller?: Caller | undefined
  readonly accept: string
  /** The secret from the cookie of a hosted page that starts a sign-in, so that the sign-in can only be completed in the same browser. */
  readonly browser?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined
  /** Called with the caller before any work is done for the call. May throw, for example because of a rate limit. */
  readonly admit?: ((caller: Caller) => void) | undefined
  /**
   * Called after the caller was admitted. Returns the reply if the call runs elsewhere because of its body, or null if the call runs here
   * as usual.
   */
  readonly elsewhere?: ((caller: Caller) => Promise<Reply<unknown> | null>) | undefined
}

/** Selects the jobs to run. */
export interface JobRunOptions {
  readonly now: EpochMs
  /** The users whose jobs are run. Null means all users. */
  readonly userIds: readonly UserId[] | null
  readonly signal?: AbortSignal | undefined
}

/** Number of jobs of one kind that were run. */
export interface RanJobs {
  readonly kind: UserJobKind
  readonly count: number
}

/** A caller's credentials: either from the headers, or a team that is already known (in the embedded engine), which may do everything. */
export type Credentials =
  | {
      readonly kind: 'headers'
      readonly apiKey: string | null
      readonly linkToken: string | null
      /** The secret of a console session. Used only if neither of the two above is given. */
      readonly session?: string | null
    }
  | { readonly kind: 'team'; readonly team: TeamRecord; readonly linkToken: string | null }

/** An import's phase. Its bytes are received, unpacked and read, then stored in one step (or compared with the store). */
export type ImportPhase = 'receiving' | 'unpacking' | 'reading' | 'storing' | 'comparing'

export interface ImportProgress {
  readonly phase: ImportPhase
  /** Progress of the phase in bytes. The total is 0 if unknown. */
  readonly doneBytes: number
  readonly totalBytes: number
  readonly records: number
}

/** The caller, as it appears in the audit trail. */
export type Actor = 'local' | 'link_token' | 'anyone' | `key:${string}` | `person:${string}`

/** The caller, once identified. */
export interface Caller {
  readonly team: TeamRecord | null
  readonly linkToken: string | null
  readonly actor: Actor
  /** Whether the caller may use operations on all teams and on the store. */
  readonly isOperator: boolean
  /** The role of a person. Absent for all other callers, whom no role restricts. */
  readonly role?: Role
}

/** A call as seen by a handler. */
export interface CallContext {
  readonly actor: Actor
  readonly isOperator: boolean
  /** The date that determines which deprecations apply: the team's compatibility date, or otherwise today by the engine's clock. */
  readonly compatibilityDate: IsoDate
  /** Records the IDs that the call creates, for the audit trail. Must be called before the first write. */
  readonly about: (name: string, id: string) => void
  /**
   * Writes, then responds with the reply that `reply` builds from the write's result. With an idempotency key, the response is stored in
   * the same transaction as the change. In that case, `reply` runs inside the transaction and must not wait for anything.
   */
  readonly settle: <T, R extends Reply<unknown>>(write: () => Promise<T>, reply: (outcome: T) => R) => Promise<R>
  /** The calling team. For a link token without an API key, the handler finds the team that the token belongs to. */
  readonly team: TeamRecord | null
  readonly linkToken: string | null
  /** The secret from the cookie of the calling hosted page. Null for other callers. */
  readonly browser: string | null
  /** The console session secret that identified the caller, or null if the caller was identified in another way. */
  readonly session: string | null
  /** Media types that the caller accepts, as in an Accept header. */
  readonly accept: string
  /** The engine's time, read once when the call starts. */
  readonly now: EpochMs
  readonly signal: AbortSignal | undefined
  readonly onProgress: ((progress: ImportProgress) => void) | undefined
  /** Runs another operation, for an operation that consists of several (a replay). */
  readonly operate: (
    engine: EngineContext,
    id: OperationId,
    request: Pick<CallContext, 'accept'> & {
      readonly input: RawInput
      readonly credentials: Credentials
    },
  ) => Promise<Reply<unknown>>
}

/** Settles a call without an idempotency key. */
export const writeAndReply: CallContext['settle'] = async (write, reply) => reply(await write())

/** Returns a call for a handler that runs inside another handler, so that its response does not become the call's response. */
export function asNestedCall<C extends CallContext>(call: C): C {
  return Object.assign(Object.create(call) as C, { settle: writeAndReply })
}

/** A call to an operation that requires an API key. Its team is therefore known. */
export interface TeamCall extends CallContext {
  readonly team: TeamRecord
}

export type CallOf<K extends OperationId> = Operations[K]['auth'] extends 'api_key' ? TeamCall : CallContext

export type Handler<K extends OperationId> = (
  engine: EngineContext,
  input: HandlerInput<Operations[K]>,
  call: CallOf<K>,
) => Promise<Reply<ReplyBody<Operations[K]>>>

/** Returns a 200 response in JSON. */
export function ok<T>(body: T): JsonReply<T> {
  return { kind: 'json', status: 200, headers: {}, body }
}

/** Returns a 204 response, which has no body. */
export function done(): EmptyReply {
  return { kind: 'empty', status: 204, headers: {} }
}
