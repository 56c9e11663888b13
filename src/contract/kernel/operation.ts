/** The type of an operation, and types shared by everything that is derived from an operation. */
import type * as z from 'zod'
import type { DeprecationName } from '../../catalogue/deprecations.ts'
import type { ProviderRegistry } from '../../catalogue/providers.ts'
import type { StoreFeature } from '../../core/store-features.ts'
import { idempotencyHeaders } from './idempotency.ts'
import { none } from './primitives.ts'

/** How callers authenticate: with a team's API key, with a link token, or not at all. */
export type Auth = 'api_key' | 'link_token' | 'none'
/**
 * `customer` operations belong to the public interface; `operator` operations are specific to svc, under /svc/v1. See
 * docs/interface/README.md#interface-7.
 */
export type Audience = 'customer' | 'operator'
/** Features that can be switched on and off for each team. */
export type BetaFeature = 'user_info' | 'aggregate'
export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** A server's thread for long work. Reads and changes have separate threads, so that neither waits for the other. */
export type ThreadName = 'reads' | 'changes'

/** A schema that is built when first used: building all of them on import would slow down the start. */
export type Lazy<T> = () => T
/** A request schema. It may list the slugs of the engine's providers. */
export type RequestSchema<T> = (providers: ProviderRegistry) => T
type Fields = z.ZodObject

/** Raw bytes from a file or a stream. */
export type ByteSource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'stream'; readonly stream: AsyncIterable<Uint8Array> }

export interface Operation<
  P extends Fields = Fields,
  Q extends Fields = Fields,
  B extends z.ZodType | undefined = z.ZodType | undefined,
  R extends z.ZodType = z.ZodType,
  A extends Auth = Auth,
> {
  readonly method: Method
  /** Path with parameters as `{name}`. */
  readonly path: string
  readonly auth: A
  readonly audience: Audience
  /**
   * `service` if the operation concerns all teams or the store itself, so that it needs an operator's key; absent if it concerns only the
   * caller's team.
   */
  readonly reach?: 'service'
  /**
   * Whether the operation manages or copies keys, people, teams or secrets, so that among people only an owner may use it.
   */
  readonly managesAccess?: boolean
  /**
   * Whether the responses contain no health data, so that the role `reader-without-health-data` may read them. May depend on the unparsed
   * query. If absent, the role may not use the operation.
   */
  readonly hasNoHealthData?: boolean | ((query: Readonly<Record<string, unknown>>) => boolean)
  /**
   * Closed-beta feature that the operation belongs to. For teams without the feature, the response is 403. See
   * docs/interface/users.md#users-17 and docs/interface/aggregates.md.
   */
  readonly beta?: BetaFeature
  readonly tag: string
  readonly summary: string
  readonly params: RequestSchema<P>
  readonly query: Lazy<Q>
  readonly body?: RequestSchema<B>
  /** Whether the JSON body may be omitted. An omitted body is read as `{}`. */
  readonly bodyIsOptional?: boolean
  /** Headers that the operation reads, by lower-case name: the idempotency headers, if it accepts a key. */
  readonly headers?: Lazy<Fields>
  /** Whether the body is raw bytes of any media type (`ByteSource`), not JSON. */
  readonly bodyIsBytes?: boolean
  /** Whether all bytes stay in memory during the call, so that a server limits their total size across calls. */
  readonly bodyIsHeld?: boolean
  /** Usual media types of the bytes, for /openapi.json. Other types are also accepted. */
  readonly bodyMediaTypes?: readonly string[]
  /** Whether the body fields may be sent as query parameters instead (undo_delete). */
  readonly bodyFromQuery?: boolean
  /** The JSON body of the 200 response. */
  readonly reply: Lazy<R>
  /** Additional media types of the 200 response. A type with `vnd.service` may also be requested as `vnd.<accepted prefix>`. */
  readonly alsoReplies?: readonly string[]
  /** Media type of the 200 response if it is always bytes and never JSON. */
  readonly repliesBytes?: string
  /** Whether the operation responds with 204 and without a body; `reply` is then `nothing`. */
  readonly repliesNothing?: boolean
  /** Error statuses of the operation, besides the common ones and the 403 that `reach` and `beta` cause. */
  readonly errors: readonly number[]
  /** Bodies of error statuses with more fields than `detail`. */
  readonly errorBodies?: Readonly<Record<number, Lazy<z.ZodType>>>
  /** Whether the operation replaces the whole store. Such an operation does not accept an idempotency key, even though it is a POST. */
  readonly replacesStore?: boolean
  /** Whether the POST is read-only, always or depending on its unparsed query. If so, it does not add an entry to the audit trail. */
  readonly readsOnly?: boolean | ((query: Readonly<Record<string, unknown>>) => boolean)
  /**
   * The secret that a client could guess in the call, besides its key or link token. A server limits wrong guesses: codes (`mfa_code`) per
   * link token, and signed URLs that are not found (`requisition`) per IP address.
   */
  readonly guessable?: 'mfa_code' | 'requisition'
  /** Whether clients poll the operation. If so, a server does not log responses without data. */
  readonly isPolled?: boolean
  /**
   * The thread on which the operation runs because other calls cannot wait that long. May depend on the unparsed query. Absent if the
   * operation never runs on a thread.
   */
  readonly takesLong?: ThreadName | ((query: Readonly<Record<string, unknown>>) => ThreadName | null)
  /**
   * Feature that the store must have; without it, the response is 501. May depend on the unparsed query. Absent if no feature is needed.
   */
  readonly needs?: StoreFeature | ((query: Readonly<Record<string, unknown>>) => StoreFeature | null)
  /** Whether repeating the call is safe, so that a client may retry it. */
  readonly idempotent: boolean
  /** Path parameter whose values each have their own path and response in /openapi.json. */
  readonly expand?: {
    readonly param: string
    readonly values: readonly string[]
    /** Query schema for a value, if it depends on the value. Calls are parsed against it. */
    readonly query?: (value: string) => z.ZodObject
    readonly reply: (value: string) => z.ZodType
    /** Deprecations of individual values. */
    readonly deprecations?: Readonly<Record<string, DeprecationName>>
  }
  /**
   * Entry in catalogue/deprecations.ts that announces the removal. If the deprecation has a date, the operation responds with 410 from that
   * date on.
   */
  readonly deprecation?: DeprecationName
}

/** A JSON response. */
export interface JsonReply<T> {
  readonly kind: 'json'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: T
  /**
   * Returns the body's JSON as bytes, or as a string with one character per byte (Node's `latin1`), if either is faster than serializing
   * the body; otherwise null.
   */
  readonly wire?: () => string | Uint8Array | null
  /** Size of the JSON in bytes if it already exists. Reading `body` then parses it, which takes time. */
  readonly wireBytes?: number
}
/** A response in bytes, for example Parquet in a tar. */
export interface BytesReply {
  readonly kind: 'bytes'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly mediaType: string
  readonly bytes: AsyncIterable<Uint8Array> | Uint8Array
}
/** A response with status 204 and no body. */
export interface EmptyReply {
  readonly kind: 'empty'
  readonly status: 204
  readonly headers: Readonly<Record<string, string>>
}
export type Reply<T> = JsonReply<T> | BytesReply | EmptyReply

type BodyOf<B, Side extends 'input' | 'output'> = B extends z.ZodType
  ? Side extends 'input'
    ? z.input<B>
    : z.output<B>
  : undefined

/** Input as passed by a caller. */
export type CallerInput<O> =
  O extends Operation<infer P, infer Q, infer B, z.ZodType>
    ? { readonly params?: z.input<P>; readonly query?: z.input<Q>; readonly body?: BodyOf<B, 'input'> }
    : never
/** Input as a handler receives it: parsed, with defaults filled in. */
export type HandlerInput<O> =
  O extends Operation<infer P, infer Q, infer B, z.ZodType>
    ? {
        readonly params: z.output<P>
        readonly query: z.output<Q>
        readonly body: BodyOf<B, 'output'>
        /** The headers in `Operation.headers` that were sent. */
        readonly headers?: Readonly<Record<string, string | undefined>>
      }
    : never
export type ReplyBody<O> = O extends Operation<Fields, Fields, z.ZodType | undefined, infer R> ? z.output<R> : never

type None = ReturnType<typeof none>
type Usual = 'params' | 'query' | 'auth' | 'errors' | 'idempotent'

/** The declaration of an operation: its route, and the fields that differ from the defaults. */
export interface OperationSpec<
  P extends Fields,
  Q extends Fields,
  B extends z.ZodType | undefined,
  R extends z.ZodType,
  A extends Auth,
> extends Omit<Operation<P, Q, B, R, A>, Usual | 'method' | 'path' | 'audience' | 'headers'>,
    Partial<Pick<Operation<P, Q, B, R, A>, Usual>> {
  readonly route: `${Method} /${string}`
}

/**
 * Defines an operation and keeps the exact types of its schemas. If omitted, `params` and `query` are empty, `auth` is `api_key`, there are
 * no additional `errors`, and only a GET is `idempotent`. The route determines the audience and the idempotency headers.
 */
export function operation<
  R extends z.ZodType,
  P extends Fields = None,
  Q extends Fields = None,
  const A extends Auth = 'api_key',
  B extends z.ZodType | undefined = undefined,
>({ route, ...spec }: OperationSpec<P, Q, B, R, A>): Operation<P, Q, B, R, A> {
  const [method, path] = route.split(' ') as [Method, string]
  const defined = {
    params: none,
    query: none,
    auth: 'api_key',
    errors: [],
    idempotent: method === 'GET',
    ...spec,
    method,
    path,
    audience: path.startsWith('/svc/') ? 'operator' : 'customer',
    // the defaults match the type parameters of omitted fields
  } as unknown as Operation<P, Q, B, R, A>
  return takesIdempotencyKey(defined) ? { ...defined, headers: idempotencyHeaders } : defined
}

/**
 * Returns whether an operation accepts an idempotency key: every POST that changes something does, unless it replaces the store that would
 * keep the response or responds with a byte stream.
 */
export function takesIdempotencyKey(
  operation: Pick<Operation, 'method' | 'readsOnly' | 'replacesStore' | 'repliesBytes'>,
): boolean {
  const { method, readsOnly, replacesStore, repliesBytes } = operation
  return method === 'POST' && readsOnly !== true && replacesStore !== true && repliesBytes === undefined
}
