/** Detects failures in a provider's responses. */
import type { LiveConnector } from '../../connectors/live/live-connector.ts'
import {
  ProviderError,
  type ProviderErrorKind,
  type ProviderRequest,
  type ProviderResponse,
} from '../../connectors/provider-session.ts'
import { type EpochMs, SECOND_MS } from '../../core/time.ts'
import { LONGEST_PAUSE_MS } from '../../store/live/budgets.ts'

const KINDS: Readonly<Record<number, ProviderErrorKind>> = {
  400: 'bad_request',
  401: 'access_refused',
  403: 'scope_missing',
  404: 'not_found',
  408: 'unavailable',
  422: 'bad_request',
  429: 'rate_limited',
}

export interface Judged {
  readonly request: ProviderRequest
  readonly response: ProviderResponse
  readonly purpose: 'token' | 'data'
  /** Whether the body is too long to be a failure message. */
  readonly isLong: boolean
  /** Real time. */
  readonly now: EpochMs
}

/** Returns the failure, or null if the response is not a failure. The connector is asked first, then the status is checked. */
export function detectFailure(connector: LiveConnector, judged: Judged): ProviderError | null {
  const { request, response, purpose, isLong } = judged
  const { status } = response
  if (request.accepted?.includes(status)) return null
  // failure bodies are short; a long body is data, which is parsed when it is mapped
  const own = isLong ? null : connector.failureIn(response, purpose)
  if (own && own.kind !== 'rate_limited') return own
  const kind = own?.kind ?? failureKind(response)
  if (kind === null) return null
  const message =
    own?.message ?? `${connector.provider} responded with ${status}${status < 400 ? ', a page or a redirect' : ''}.`
  const retryAfterMs = kind === 'rate_limited' || status === 503 ? pauseAsked(connector, judged, own) : null
  return new ProviderError(kind, message, { status, retryAfterMs })
}

function failureKind(response: ProviderResponse): ProviderErrorKind | null {
  const { status } = response
  if (status >= 500) return 'unavailable'
  if (status >= 400) return KINDS[status] ?? 'bad_request'
  // a redirect would lead away from the host that the operator chose
  if (status >= 300) return 'bad_answer'
  // a page from a proxy, or a maintenance page
  return /^text\/html\b/i.test(response.header('content-type') ?? '') ? 'unavailable' : null
}

/** Returns the time to wait, at most `LONGEST_PAUSE_MS`, or null if the provider did not request a reasonable pause. */
function pauseAsked(connector: LiveConnector, { response, now }: Judged, own: ProviderError | null): number | null {
  const askedMs = own?.retryAfterMs ?? connector.retryAfterMs(response) ?? askedFor(response, now)
  return askedMs === null ? null : Math.min(Math.max(0, askedMs), LONGEST_PAUSE_MS)
}

/** Returns the delay requested by `Retry-After`, either in seconds or as a date by the provider's clock. */
function askedFor(response: ProviderResponse, now: EpochMs): number | null {
  const text = response.header('retry-after')?.trim() ?? ''
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * SECOND_MS)
  const until = dateIn(text)
  return until === null ? null : until - (dateIn(response.header('date')) ?? now)
}

/** Parses an HTTP date. Returns null for any other text. */
function dateIn(text: string | null): EpochMs | null {
  const date = text !== null && /^[a-z]{3}\w*,? .*\d{4}/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? null : date
}
