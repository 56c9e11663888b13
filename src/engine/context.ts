/** Defines what every handler receives: the parts of the engine and the caller. */
import type { ProviderRegistry } from '../catalogue/providers.ts'
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
import type { Mapping } from './live/mapping/mapping.ts'
import type { LiveObservation } from './live/observation.ts'

/**
 * The injected parts of the engine: two engines with the same clock, randomness and public URL produce the same bytes. See
 * docs/architecture.md.
 */
export interface EngineContext {
  readonly store: Store
  readonly providers: ProviderRegistry
  /** Opens a separate, empty store in a scratch file. Its real time is `time`. */
  readonly scratchStore: (path: string, time: RealTime) => Store
  readonly time: RealTime
  /** Real time, even while a recorded change freezes `time`: for leases, limits and waits at live providers. */
  readonly wall: RealTime
  readonly random: RandomSource
  /** Seed for the synthetic people. */
  readonly seed: string
  /** URL at which browsers reach the service, without a trailing slash, or null if no server runs. */
  readonly publicUrl: () => string | null
  /** The URL of the console, without a trailing slash, or null if no server serves it. */
  readonly consoleUrl: () => string | null
  /** 32 bytes for sealing secrets and signing cursors. */
  readonly masterKey: () => Uint8Array
  /** Private folder for files that are being received. */
  readonly scratchDir: string
  /** Maximum number of samples on a timeseries page. */
  readonly pageSize: number
  /** Whether webhooks may go to private networks. */
  readonly allowPrivateTargets: boolean
  /** Which webhooks may go to this machine: all, none, or only those whose URL an operator set. */
  readonly loopbackTargets: 'operator' | 'any' | 'none'
  /** Runs long work elsewhere; a server has threads for it. Absent: the work runs here. */
  readonly apart?: Apart | undefined
  /** Parses and maps responses of live providers elsewhere. Absent: this happens here. */
  readonly mapping?: Mapping | undefined
  /** Receives observations about live providers; a server counts them. */
  readonly observe?: ((observation: LiveObservation) => void) | undefined
}

/** Runs long work elsewhere, so that it does not block other calls. */
export interface Apart {
  /** Runs an operation. Throws any error of the operation. */
  operation(thread: ThreadName, id: OperationId, request: EngineRequest): Promise<Reply<unknown>>
  /** Runs the due jobs of users. Throws the signal's reason, and any error of a job. */
  jobs(options: JobRunOptions): Promise<readonly RanJobs[]>
  /** Starts a loop that pulls the collections that are due at live providers. */
  live(options: LiveRunOptions): LiveRun
}

export interface LiveRunOptions {
  /** Receives an occasional log line, without IDs. */
  readonly log: (line: string) => void
  /** Called with every error. Failed work is repeated later. */
  readonly failed: (error: unknown) => void
}

export interface LiveRun {
  /** Checks for due work at once. */
  look(): void
  /** Stops, and resolves when nothing is running any more. Unfinished work stays due. */
  stop(): Promise<void>
  /** Resolves when the work was stopped or cannot continue. */
  readonly ended: Promise<void>
}

/** A request for one operation. */
export interface EngineRequest {
  readonly input: RawInput
  readonly credentials: Credentials
  /** The caller, if already known; otherwise the credentials determine it. */
  readonly caller?: Caller | undefined
  readonly accept: string
  /** The secret in the cookie of a hosted page that starts a sign-in, so that the sign-in can end only in the same browser. */
  readonly browser?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined
  /** Called with the caller before any work is done for it. May throw (a rate limit). */
  readonly admit?: ((caller: Caller) => void) | undefined
  /**
   * Called after the caller was admitted. Returns the reply if the call runs elsewhere because of its body, or null if it runs here as
   * usual.
   */
  readonly elsewhere?: ((caller: Caller) => Promise<Reply<unknown> | null>) | undefined
}

/** Which jobs to run. */
export interface JobRunOptions {
  readonly now: EpochMs
  /** The users whose jobs run; null: all. */
  readonly userIds: readonly UserId[] | null
  readonly signal?: AbortSignal | undefined
}

/** Number of jobs of one kind that ran. */
export interface RanJobs {
  readonly kind: UserJobKind
  readonly count: number
}

/** A caller's credentials: from the headers, or a team that is already known (in the embedded engine), which may do everything. */
export type Credentials =
  | {
      readonly kind: 'headers'
      readonly apiKey: string | null
      readonly linkToken: string | null
      /** The secret of a console session, which counts only without the two above. */
      readonly session?: string | null
    }
  | { readonly kind: 'team'; readonly team: TeamRecord; readonly linkToken: string | null }

/** An import's phase: its bytes are received, unpacked and read, and then stored in one step (or compared with the store). */
export type ImportPhase = 'receiving' | 'unpacking' | 'reading' | 'storing' | 'comparing'

export interface ImportProgress {
  readonly phase: ImportPhase
  /** Progress of the phase in bytes. The total is 0 if it is unknown. */
  readonly doneBytes: number
  readonly totalBytes: number
  readonly records: number
}

/** The caller, as it appears in the audit trail. */
export type Actor = 'local' | 'link_token' | 'anyone' | `key:${string}`

/** The caller, once identified. */
export interface Caller {
  readonly team: TeamRecord | null
  readonly linkToken: string | null
  readonly actor: Actor
  /** Whether the caller may use the operations on all teams and on the store. */
  readonly isOperator: boolean
}

/** One call as a handler sees it. */
export interface CallContext {
  readonly actor: Actor
  readonly isOperator: boolean
  /** The date that decides which deprecations apply: the team's compatibility date, or else today by the engine's clock. */
  readonly compatibilityDate: IsoDate
  /** Records the IDs that the call creates, for the audit trail, before the first write. */
  readonly about: (name: string, id: string) => void
  /**
   * Writes, and responds with the reply that `reply` builds from that write's outcome. With an idempotency key, the response is kept in the
   * same transaction as the change: `reply` then runs inside the transaction and must not wait for anything.
   */
  readonly settle: <T, R extends Reply<unknown>>(write: () => Promise<T>, reply: (outcome: T) => R) => Promise<R>
  /** The calling team. For a link token without an API key, the handler finds the token's team. */
  readonly team: TeamRecord | null
  readonly linkToken: string | null
  /** The secret in the cookie of the hosted page that calls; null for other callers. */
  readonly browser: string | null
  /** The console session secret that identified the caller; null if it was identified otherwise. */
  readonly session: string | null
  /** Media types that the caller accepts, as in an Accept header. */
  readonly accept: string
  /** The engine's time, read once when the call began. */
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

/** Returns the call for a handler that runs as part of another handler, so that its response is not the call's response. */
export function asNestedCall<C extends CallContext>(call: C): C {
  return Object.assign(Object.create(call) as C, { settle: writeAndReply })
}

/** A call to an operation that requires an API key, so its team is known. */
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
