/** Sends a request to a provider, with a timeout, a size limit and no redirects. Uses undici, which no other module loads. */
import type { Agent } from 'undici'
import type { ResponseLimits } from '../../connectors/live/response-limits.ts'
import { ProviderError, type ProviderRequest } from '../../connectors/provider-session.ts'
import type { TeamId } from '../../core/ids.ts'
import { readResponseBody } from './responses/body.ts'
import { ReceivedResponse } from './responses/response.ts'

const MOST_HEADER_BYTES = 64 * 1024

let agent: Agent | undefined

async function sharedAgent(): Promise<Agent> {
  const undici = await import('undici')
  agent ??= new undici.Agent({
    // one connection to the host for each request (fair-tasks.ts), because otherwise one team's requests would wait for another's
    connections: null,
    pipelining: 1,
    maxHeaderSize: MOST_HEADER_BYTES,
  })
  return agent
}

/**
 * Closes the connections to providers: either only the idle ones, or all of them, including those with requests in progress. The next
 * request opens a new connection.
 */
export async function closeProviderConnections(when: 'idle' | 'at once'): Promise<void> {
  const closing = agent
  agent = undefined
  await (when === 'idle' ? closing?.close() : closing?.destroy())
}

export interface ExchangeLimits {
  /** Time limit for the whole response, in milliseconds. */
  readonly responseTimeoutMs: number
  readonly limits: ResponseLimits
  readonly signal: AbortSignal | undefined
  /** The provider's name, for messages. */
  readonly provider: string
  readonly teamId: TeamId
}

/**
 * Sends a request and returns the whole response, whatever its status. Throws ProviderError `unavailable` if there is no response,
 * `bad_answer` if the response exceeds the limits, and the signal's reason.
 */
export async function exchange(
  { method, url, headers = {}, form, json }: ProviderRequest,
  { responseTimeoutMs, limits, signal, provider, teamId }: ExchangeLimits,
): Promise<ReceivedResponse> {
  const sent = sentBody(form, json)
  const late = AbortSignal.timeout(responseTimeoutMs)
  try {
    const response = await (await sharedAgent()).request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: {
        accept: 'application/json',
        'accept-encoding': 'gzip',
        'user-agent': 'svc',
        ...(sent ? { 'content-type': sent.type } : {}),
        ...headers,
      },
      body: sent?.text ?? null,
      headersTimeout: 0,
      bodyTimeout: 0,
      signal: signal ? AbortSignal.any([signal, late]) : late,
    })
    const { statusCode: status, headers: responseHeaders } = response
    const of = { provider, share: `${teamId} ${provider}`, status, headers: responseHeaders, limits }
    const bytes = await readResponseBody(response.body, of)
    return new ReceivedResponse({ provider, status, headers: responseHeaders, bytes })
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (error instanceof ProviderError) throw error
    throw new ProviderError(
      'unavailable',
      `${provider} did not respond: ${describeFailure(error, late, responseTimeoutMs)}.`,
    )
  }
}

function sentBody(
  form: ProviderRequest['form'],
  json: ProviderRequest['json'],
): { readonly type: string; readonly text: string } | null {
  if (form !== undefined) {
    return { type: 'application/x-www-form-urlencoded', text: new URLSearchParams(form).toString() }
  }
  return json === undefined ? null : { type: 'application/json', text: JSON.stringify(json) }
}

/** Describes the error without the URL, which may contain a token. */
function describeFailure(error: unknown, late: AbortSignal, responseTimeoutMs: number): string {
  if (late.aborted) return `no response within ${responseTimeoutMs / 1000} s`
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  return code === '' ? 'the connection failed' : `the connection failed (${code})`
}
