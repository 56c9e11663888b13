/** A minimal session for tests of connectors: it sends requests at once, classifies failures, and repeats nothing. */
import type { Grant } from '../../src/connectors/grant.ts'
import type { LiveConnector } from '../../src/connectors/live/live-connector.ts'
import {
  type GrantSession,
  type ProviderAnswer,
  type ProviderApp,
  ProviderError,
  type ProviderErrorKind,
  type ProviderRequest,
} from '../../src/connectors/provider-session.ts'
import type { StandIn } from './stand-in.ts'

const KINDS: Readonly<Record<number, ProviderErrorKind>> = {
  400: 'bad_request',
  401: 'access_refused',
  403: 'scope_missing',
  404: 'not_found',
  422: 'bad_request',
  429: 'rate_limited',
}

/** Returns the OAuth app of a fake provider, with the connector's default settings. */
export function appOf(standIn: StandIn, connector: LiveConnector, changed: Partial<ProviderApp> = {}): ProviderApp {
  return {
    clientId: standIn.clientId,
    clientSecret: standIn.clientSecret,
    scopes: connector.scopes.map(each => each.name),
    authorizeUrl: standIn.authorizeUrl,
    tokenUrl: standIn.tokenUrl,
    apiUrl: standIn.url,
    settings: Object.fromEntries(connector.settings.map(each => [each.name, each.default])),
    ...changed,
  }
}

/** Opens a session. Without a token set, it is a session of the OAuth app. */
export function testSession(
  standIn: StandIn,
  connector: LiveConnector,
  {
    grant = { accessToken: '', refreshToken: null, expiresAt: null, scopes: null, extra: {} },
    app = appOf(standIn, connector),
    now = Date.now,
  }: { readonly grant?: Grant; readonly app?: ProviderApp; readonly now?: () => number } = {},
): GrantSession {
  const send = async (request: ProviderRequest): Promise<ProviderAnswer> => {
    const headers: Record<string, string> = { ...request.headers }
    const isBearing = grant.accessToken !== '' && headers['authorization'] === undefined
    if (isBearing) headers['authorization'] = `Bearer ${grant.accessToken}`
    if (request.json !== undefined) headers['content-type'] = 'application/json'
    const body =
      request.json === undefined ? request.form && new URLSearchParams(request.form) : JSON.stringify(request.json)
    const response = await fetch(request.url, {
      method: request.method,
      headers,
      ...(body && { body }),
      redirect: 'manual',
    })
    const text = await response.text()
    const answer: ProviderAnswer = {
      status: response.status,
      header: name => response.headers.get(name),
      text,
      json() {
        try {
          return JSON.parse(text)
        } catch (cause) {
          throw new ProviderError('bad_answer', 'The answer is not JSON', { cause })
        }
      },
    }
    if (request.accepted?.includes(answer.status)) return answer
    const failure = connector.failureIn(answer, String(request.url) === app.tokenUrl ? 'token' : 'data')
    if (failure) throw failure
    if (answer.status < 400) return answer
    const kind = KINDS[answer.status] ?? 'unavailable'
    throw new ProviderError(kind, `The provider answered ${answer.status}`, { status: answer.status })
  }
  return { app, grant, signal: undefined, send, now }
}
