/** A minimal session for tests of connectors: it sends requests at once, classifies failures, and repeats nothing. */

import type { LiveConnector } from '../../src/connectors/live/live-connector.ts'
import {
  type ProviderApp,
  ProviderError,
  type ProviderErrorKind,
  type ProviderRequest,
  type ProviderResponse,
  type TokenSession,
} from '../../src/connectors/provider-session.ts'
import type { TokenSet } from '../../src/connectors/token-set.ts'
import type { FakeProvider } from './fake-provider.ts'

const KINDS: Readonly<Record<number, ProviderErrorKind>> = {
  400: 'bad_request',
  401: 'access_refused',
  403: 'scope_missing',
  404: 'not_found',
  422: 'bad_request',
  429: 'rate_limited',
}

/** Returns the OAuth app of a fake provider, with the connector's default settings. */
export function testApp(fake: FakeProvider, connector: LiveConnector, changed: Partial<ProviderApp> = {}): ProviderApp {
  return {
    clientId: fake.clientId,
    clientSecret: fake.clientSecret,
    scopes: connector.scopes.map(each => each.name),
    authorizeUrl: fake.authorizeUrl,
    tokenUrl: fake.tokenUrl,
    apiUrl: fake.url,
    settings: Object.fromEntries(connector.settings.map(each => [each.name, each.default])),
    ...changed,
  }
}

/** Opens a session. Without a token set, it is a session of the OAuth app. */
export function testSession(
  fake: FakeProvider,
  connector: LiveConnector,
  {
    grant: tokenSet = { accessToken: '', refreshToken: null, expiresAt: null, scopes: null, extra: {} },
    app = testApp(fake, connector),
    now = Date.now,
  }: { readonly grant?: TokenSet; readonly app?: ProviderApp; readonly now?: () => number } = {},
): TokenSession {
  const send = async (request: ProviderRequest): Promise<ProviderResponse> => {
    const headers: Record<string, string> = { ...request.headers }
    const isBearing = tokenSet.accessToken !== '' && headers['authorization'] === undefined
    if (isBearing) headers['authorization'] = `Bearer ${tokenSet.accessToken}`
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
    const providerResponse: ProviderResponse = {
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
    if (request.accepted?.includes(providerResponse.status)) return providerResponse
    const failure = connector.failureIn(providerResponse, String(request.url) === app.tokenUrl ? 'token' : 'data')
    if (failure) throw failure
    if (providerResponse.status < 400) return providerResponse
    const kind = KINDS[providerResponse.status] ?? 'unavailable'
    throw new ProviderError(kind, `The provider answered ${providerResponse.status}`, {
      status: providerResponse.status,
    })
  }
  return { app, tokenSet, signal: undefined, send, now }
}
