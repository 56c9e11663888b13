/** What an operation is, and the types that everything derived from one shares. */
import type { z } from 'zod'
import type { DeprecationName } from '../../catalogue/deprecations.ts'
import { idempotencyHeaders } from './idempotency.ts'

/** Who may call: a team's API key, a link token, or anyone. */
export type Auth = 'api_key' | 'link_token' | 'none'
/** `customer` operations are those of interface.md; `operator` ones are our own, under /svc/v1 (design 2). */
export type Audience = 'customer' | 'operator'
/** Features that are switched on and off team by team. */
export type BetaFeature = 'user_info' | 'aggregate'
export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** Work that a server does apart from answering, by whether it reads or changes: neither waits for the other. */
export type ThreadName = 'reads' | 'changes'

/** Schemas are built at first use: building all of them at import costs start-up time. */
export type Lazy<T> = () => T
type Fields = z.ZodObject

/** A body of raw bytes, from a file or a stream. */
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
  /** `{name}` stands for a path parameter. */
  readonly path: string
  readonly auth: A
  readonly audience: Audience
  /** `service`: about all teams or the store itself, so that only the key of an operator may call it. Absent: the caller's team. */
  readonly reach?: 'service'
  /** The closed-beta feature it belongs to: 403 for a team that has it switched off (interface.md 4.5, 4.9). */
  readonly beta?: BetaFeature
  readonly tag: string
  readonly summary: string
  /** Where in interface.md it comes from; empty for our own. */
  readonly source: string
  readonly params: Lazy<P>
  readonly query: Lazy<Q>
  readonly body?: Lazy<B>
  /** A JSON body that may be left out: it is read as `{}` then. */
  readonly bodyIsOptional?: boolean
  /** Headers that it reads, by lower-case name: those of an idempotency key, where it takes one. */
  readonly headers?: Lazy<Fields>
  /** The body is raw bytes of any media type (`ByteSource`), not JSON. */
  readonly bodyIsBytes?: boolean
  /** All of the bytes are in memory while the call runs: a server bounds them, and counts them across calls. */
  readonly bodyIsHeld?: boolean
  /** What those bytes usually are, for /openapi.json; nothing is refused for its name. */
  readonly bodyMediaTypes?: readonly string[]
  /** True when the same fields may also come as query parameters (undo_delete). */
  readonly bodyFromQuery?: boolean
  /** The JSON body of the 200 answer. */
  readonly reply: Lazy<R>
  /** Further media types of the 200 answer; `vnd.service` in a name also answers to `vnd.<accepted prefix>`. */
  readonly alsoReplies?: readonly string[]
  /** The media type of the 200 answer where it is bytes and never JSON. */
  readonly repliesBytes?: string
  /** It answers 204 without a body; `reply` is `nothing` then. */
  readonly repliesNothing?: boolean
  /** Error statuses it can answer with, beside those that every operation has. */
  readonly errors: readonly number[]
  /** Bodies of error statuses that hold more than `detail`. */
  readonly errorBodies?: Readonly<Record<number, Lazy<z.ZodType>>>
  /** Another store takes the place of the one that is there: a POST that does it takes no idempotency key. */
  readonly replacesStore?: boolean
  /** Of a POST that asks and changes nothing (by its query as it came): it leaves no line in the audit trail. */
  readonly readsOnly?: boolean | ((query: Readonly<Record<string, unknown>>) => boolean)
  /** Who follows something asks it again and again: of an answer that brings nothing a server logs no line. */
  readonly isPolled?: boolean
  /** It may take longer than others can wait: always, or for what it is asked (its query as it came). Absent: never. */
  readonly takesLong?: ThreadName | ((query: Readonly<Record<string, unknown>>) => ThreadName | null)
  /** Whether repeating the call is harmless, so that a client may retry it. */
  readonly idempotent: boolean
  /** A path parameter whose every value is a path of its own in /openapi.json, with its own answer. */
  readonly expand?: {
    readonly param: string
    readonly values: readonly string[]
    /** The query of a value, where it is not the same for all: it is what a call is parsed against. */
    readonly query?: (value: string) => z.ZodObject
    readonly reply: (value: string) => z.ZodType
    /** The announcements of values that are to go, or gone. */
    readonly deprecations?: Readonly<Record<string, DeprecationName>>
  }
  /** The entry of the deprecations (catalogue/deprecations.ts) that announces its removal; a dated one answers 410 from its day on. */
  readonly deprecation?: DeprecationName
}

/** A JSON answer. */
export interface JsonReply<T> {
  readonly kind: 'json'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: T
  /**
   * The bytes of the body's JSON, as they are or each as a character (Node's `latin1`), where these are made quicker than from the
   * body; null: not of this one.
   */
  readonly wire?: () => string | Uint8Array | null
  /** How many bytes they are, where they are made already: the body is then made of them, at a price. */
  readonly wireBytes?: number
}
/** An answer in bytes (Parquet in a tar, say). */
export interface BytesReply {
  readonly kind: 'bytes'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly mediaType: string
  readonly bytes: AsyncIterable<Uint8Array> | Uint8Array
}
/** An answer that says all by its status: 204, without a body. */
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

/** What a caller hands in. */
export type CallerInput<O> =
  O extends Operation<infer P, infer Q, infer B, z.ZodType>
    ? { readonly params?: z.input<P>; readonly query?: z.input<Q>; readonly body?: BodyOf<B, 'input'> }
    : never
/** What a handler gets: parsed, defaults filled. */
export type HandlerInput<O> =
  O extends Operation<infer P, infer Q, infer B, z.ZodType>
    ? {
        readonly params: z.output<P>
        readonly query: z.output<Q>
        readonly body: BodyOf<B, 'output'>
        /** Those of `Operation.headers` that were sent. */
        readonly headers?: Readonly<Record<string, string | undefined>>
      }
    : never
export type ReplyBody<O> = O extends Operation<Fields, Fields, z.ZodType | undefined, infer R> ? z.output<R> : never

/** Keeps the exact types of one operation's schemas, and adds the headers of a key to each that takes one. */
export function operation<
  P extends z.ZodObject,
  Q extends z.ZodObject,
  R extends z.ZodType,
  const A extends Auth,
  B extends z.ZodType | undefined = undefined,
>(spec: Operation<P, Q, B, R, A>): Operation<P, Q, B, R, A> {
  return takesIdempotencyKey(spec) ? { ...spec, headers: idempotencyHeaders } : spec
}

/**
 * Every POST that changes something takes a key, unless the store that would keep the answer is what it replaces, or the answer is a
 * stream of bytes.
 */
export function takesIdempotencyKey(
  operation: Pick<Operation, 'method' | 'readsOnly' | 'replacesStore' | 'repliesBytes'>,
): boolean {
  const { method, readsOnly, replacesStore, repliesBytes } = operation
  return method === 'POST' && readsOnly !== true && replacesStore !== true && repliesBytes === undefined
}
