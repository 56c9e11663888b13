/** The session that a connector uses to send requests, and the session's errors. The engine implements sessions (engine/live). */
import type { TokenSet } from './token-set.ts'

/** A team's registration at a provider. */
export interface ProviderApp {
  readonly clientId: string
  /** Client secret, which is confidential. */
  readonly clientSecret: string
  /** Names of the scopes to request. */
  readonly scopes: readonly string[]
  readonly authorizeUrl: string
  readonly tokenUrl: string
  readonly apiUrl: string
  /** Values of the connector's settings (`LiveConnector.settings`): the operator's, or else the defaults. */
  readonly settings: Readonly<Record<string, string>>
  /** The credential for managing subscriptions, if a client secret is not enough; otherwise absent or null. */
  readonly serviceAccount?: ServiceAccount | null
}

/** A team's service account at a provider. */
export interface ServiceAccount {
  readonly email: string
  /** RSA key in PEM, which is secret. */
  readonly privateKey: string
  /** The provider's ID for the key, or null. */
  readonly keyId: string | null
}

/** A session with a token set adds the access token as a bearer token, unless the headers contain `authorization`. */
export interface ProviderRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as application/x-www-form-urlencoded. */
  readonly form?: Readonly<Record<string, string>> | URLSearchParams
  /** Sent as JSON. */
  readonly json?: unknown
  /** Whether the request can safely be sent twice, so that it is retried after a failure. Defaults to true for GET, PUT and DELETE. */
  readonly isRepeatable?: boolean
  /** Error statuses that do not count as failures: `[404, 409]`. */
  readonly accepted?: readonly number[]
}

/** A complete response whose status is below 400 or is accepted. */
export interface ProviderResponse {
  readonly status: number
  /** Returns a header by its name in lower case, or null. */
  header(name: string): string | null
  readonly text: string
  /** Returns the parsed body. Throws ProviderError `bad_answer` if it is not JSON. */
  json(): unknown
}

/**
 * Sends requests for an app. It respects the provider's limits, retries repeatable requests with growing pauses, and reads responses within
 * the limits in live/response-limits.ts.
 */
export interface AppSession {
  readonly app: ProviderApp
  readonly signal: AbortSignal | undefined
  /** Sends a request. Throws ProviderError. */
  send(request: ProviderRequest): Promise<ProviderResponse>
  /** Real time in epoch milliseconds. */
  now(): number
}

/** Sends requests for one person with the access token. Refreshes the token once if the provider refuses it. */
export interface TokenSession extends AppSession {
  /** The current token set, which a refresh replaces. */
  readonly tokenSet: TokenSet
}

/**
 * `grant_lost`: the access has ended, and only the person can restore it. `scope_missing`: the person did not grant the scope, or withdrew
 * it. `access_refused`: the access token was refused; the session refreshes it once before it throws `grant_lost`. `credentials`: the app's
 * id or secret is wrong. `code_refused`: the code or its redirect URL was refused. `rate_limited`: the provider requested a pause.
 * `unavailable`: no response, or a failure at the provider. `bad_answer`: a response that differs from the provider's documentation.
 * `bad_request`: the provider refused the request as invalid. `not_found`: the provider does not have the record.
 */
export type ProviderErrorKind =
  | 'grant_lost'
  | 'scope_missing'
  | 'access_refused'
  | 'credentials'
  | 'code_refused'
  | 'rate_limited'
  | 'unavailable'
  | 'bad_answer'
  | 'bad_request'
  | 'not_found'

/** A provider failure. The message is for developers and never contains a token, a secret or the person's data. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly kind: ProviderErrorKind
  /** HTTP status of the response, or null. */
  readonly status: number | null
  /** The pause that the provider requested, in milliseconds, or null. */
  readonly retryAfterMs: number | null

  constructor(
    kind: ProviderErrorKind,
    message: string,
    { status = null, retryAfterMs = null, cause }: ProviderErrorDetails = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.kind = kind
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

export interface ProviderErrorDetails {
  readonly status?: number | null
  readonly retryAfterMs?: number | null
  readonly cause?: unknown
}
