/** The type of an operation, and the types that everything derived from one shares. */
import type * as z from 'zod'
import type { DeprecationName } from '../../catalogue/deprecations.ts'
import type { StoreFeature } from '../../core/store-features.ts'
import { idempotencyHeaders } from './idempotency.ts'
import { none } from './primitives.ts'

/** How callers authenticate: with a team's API key, with a link token, or not at all. */
export type Auth = 'api_key' | 'link_token' | 'none'
/**
 * `customer` operations belong to the public interface; `operator` operations are our own, under /svc/v1. See
 * docs/interface/README.md#interface-7.
 */
export type Audience = 'customer' | 'operator'
/** Features that can be switched on and off for each team. */
export type BetaFeature = 'user_info' | 'aggregate'
export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** The thread of a server that runs long work. Reads and changes have one each, so neither waits for the other. */
export type ThreadName = 'reads' | 'changes'

/** A schema that is built at first use: building all of them at import would slow down the start. */
export type Lazy<T> = () => T
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
  /** Path in which `{name}` stands for a parameter. */
  readonly path: string
  readonly auth: A
  readonly audience: Audience
  /** `service`: concerns all teams or the store itself, so it needs an operator's key. Absent: concerns only the caller's team. */
  readonly reach?: 'service'
  /**
   * Closed-beta feature that the operation belongs to; a team that has it switched off gets 403. See docs/interface/users.md#users-17 and
   * docs/interface/aggregates.md.
   */
  readonly beta?: BetaFeature
  readonly tag: string
  readonly summary: string
  readonly params: Lazy<P>
  readonly query: Lazy<Q>
  readonly body?: Lazy<B>
  /** The JSON body may be omitted; it is then read as `{}`. */
  readonly bodyIsOptional?: boolean
  /** Headers that the operation reads, by lower-case name: the idempotency headers, if it takes a key. */
  readonly headers?: Lazy<Fields>
  /** The body is raw bytes of any media type (`ByteSource`), not JSON. */
  readonly bodyIsBytes?: boolean
  /** All of the bytes stay in memory during the call, so a server limits them and counts them across calls. */
  readonly bodyIsHeld?: boolean
  /** Usual media types of the bytes, for /openapi.json. No other type is refused. */
  readonly bodyMediaTypes?: readonly string[]
  /** The body fields may come as query parameters instead (undo_delete). */
  readonly bodyFromQuery?: boolean
  /** The JSON body of the 200 response. */
  readonly reply: Lazy<R>
  /** Additional media types of the 200 response. A type with `vnd.service` may also be requested as `vnd.<accepted prefix>`. */
  readonly alsoReplies?: readonly string[]
  /** Media type of the 200 response if it is always bytes and never JSON. */
  readonly repliesBytes?: string
  /** The operation responds with 204 without a body; `reply` is then `nothing`. */
  readonly repliesNothing?: boolean
  /** Error statuses that it can respond with, besides the common ones and the 403 of `reach` and `beta`. */
  readonly errors: readonly number[]
  /** Bodies of error statuses that have more than `detail`. */
  readonly errorBodies?: Readonly<Record<number, Lazy<z.ZodType>>>
  /** The operation replaces the whole store, so it takes no idempotency key even though it is a POST. */
  readonly replacesStore?: boolean
  /** The POST changes nothing, always or depending on its unparsed query, so it leaves no line in the audit trail. */
  readonly readsOnly?: boolean | ((query: Readonly<Record<string, unknown>>) => boolean)
  /**
   * The secret that a client could guess in the call, besides its key or link token. A server limits wrong guesses: codes (`mfa_code`) for
   * each link token, and signed URLs that are not found (`requisition`) for each IP address.
   */
  readonly guessable?: 'mfa_code' | 'requisition'
  /** Clients poll the operation, so a server logs no line for a response without data. */
  readonly isPolled?: boolean
  /**
   * The operation may take longer than other calls can wait and runs on this thread, always or depending on its unparsed query. Absent:
   * never.
   */
  readonly takesLong?: ThreadName | ((query: Readonly<Record<string, unknown>>) => ThreadName | null)
  /** Features that the store must have, always or depending on the unparsed query; otherwise the response is 501. Absent: none. */
  readonly needs?: StoreFeature | ((query: Readonly<Record<string, unknown>>) => StoreFeature | null)
  /** Whether repeating the call is safe, so that a client may retry it. */
  readonly idempotent: boolean
  /** Path parameter for which every value is a path of its own in /openapi.json, with its own response. */
  readonly expand?: {
    readonly param: string
    readonly values: readonly string[]
    /** Query schema of a value, if values differ; calls are parsed against it. */
    readonly query?: (value: string) => z.ZodObject
    readonly reply: (value: string) => z.ZodType
    /** Deprecations of single values. */
    readonly deprecations?: Readonly<Record<string, DeprecationName>>
  }
  /** Entry in catalogue/deprecations.ts that announces the removal. If it has a date, the operation responds with 410 from that date on. */
  readonly deprecation?: DeprecationName
}

/** A JSON response. */
export interface JsonReply<T> {
  readonly kind: 'json'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: T
  /**
   * Returns the JSON of the body as bytes, or as a string with one character per byte (Node's `latin1`), if that is faster than serializing
   * the body; null if it is not.
   */
  readonly wire?: () => string | Uint8Array | null
  /** Size of these bytes if they exist already. Reading `body` then parses them, which costs time. */
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

/** Input as a caller passes it. */
export type CallerInput<O> =
  O extends Operation<infer P, infer Q, infer B, z.ZodType>
    ? { readonly params?: z.input<P>; readonly query?: z.input<Q>; readonly body?: BodyOf<B, 'input'> }
    : never
/** Input as a handler gets it: parsed, with defaults filled in. */
export type HandlerInput<O> =
  O extends Operation<infer P, infer Q, infer B, z.ZodType>
    ? {
        readonly params: z.output<P>
        readonly query: z.output<Q>
        readonly body: BodyOf<B, 'output'>
        /** The headers of `Operation.headers` that were sent. */
        readonly headers?: Readonly<Record<string, string | undefined>>
      }
    : never
export type ReplyBody<O> = O extends Operation<Fields, Fields, z.ZodType | undefined, infer R> ? z.output<R> : never

type None = ReturnType<typeof none>
type Usual = 'params' | 'query' | 'auth' | 'errors' | 'idempotent'

/** An operation as declared: its route, and its differences from the defaults. */
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
 * Defines an operation and keeps the exact types of its schemas. If left out, `params` and `query` are empty, `auth` is `api_key`, there
 * are no other `errors`, and only a GET is `idempotent`. The route decides about the audience and the idempotency headers.
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
    // the defaults are of the types that the type parameters have where a field is left out
  } as unknown as Operation<P, Q, B, R, A>
  return takesIdempotencyKey(defined) ? { ...defined, headers: idempotencyHeaders } : defined
}

/**
 * Returns whether an operation takes an idempotency key: every POST that changes something does, unless it replaces the store that would
 * keep the response, or responds with a stream of bytes.
 */
export function takesIdempotencyKey(
  operation: Pick<Operation, 'method' | 'readsOnly' | 'replacesStore' | 'repliesBytes'>,
): boolean {
  const { method, readsOnly, replacesStore, repliesBytes } = operation
  return method === 'POST' && readsOnly !== true && replacesStore !== true && repliesBytes === undefined
}
