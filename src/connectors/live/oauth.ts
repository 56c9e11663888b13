/**
 * Standard OAuth 2.0: the consent URL, the code exchange, and the token refresh. `oauth4webapi` builds the requests and validates the
 * responses; the engine's session sends them. An error never contains a value from a response, because responses contain tokens.
 */
import type * as oauth from 'oauth4webapi'
import type { AuthorizationRequest, CodeExchange } from '../connector.ts'
import {
  type AppSession,
  type ProviderApp,
  ProviderError,
  type ProviderErrorKind,
  type TokenSession,
} from '../provider-session.ts'
import { asText, member } from '../shared/json-fields.ts'
import type { TokenSet } from '../token-set.ts'
import { apiUrl, parsedJson } from './requests.ts'
import { issuedTokens } from './token-response.ts'

/** The library, which is loaded when first used, so that other commands do not load it. */
type Library = typeof oauth

export interface StandardOAuth {
  /** How the client's ID and secret are sent: as form fields, or as HTTP Basic. */
  readonly clientAuth: 'body' | 'basic'
  readonly takesPkce: boolean
  /** The token URL. Defaults to the app's. */
  readonly tokenUrl?: string
  /** Additional fields of a refresh request: `{ scope: 'offline' }`. */
  readonly refreshParameters?: Readonly<Record<string, string>>
  /** Splits the scopes in a response, by default at spaces. */
  readonly scopeNames?: (text: string) => readonly string[]
  /** Reads additional data that the connector needs (`Grant.extra`) from a token response. */
  readonly extra?: (tokenResponse: oauth.TokenEndpointResponse) => Readonly<Record<string, string>>
}

export interface AuthorizationStyle {
  /** The separator between scopes. Defaults to a space. */
  readonly scopeSeparator?: string
  /** Additional URL parameters. */
  readonly parameters?: Readonly<Record<string, string>>
  readonly usesPkce: boolean
}

/** Returns the URL of the consent page. Throws ProviderError `bad_request` unless it is https, or http on this machine. */
export function buildAuthorizationUrl(app: ProviderApp, asked: AuthorizationRequest, style: AuthorizationStyle): URL {
  const endpoint = checkedUrl(app.authorizeUrl, 'authorization')
  const parameters = {
    ...style.parameters,
    response_type: 'code',
    client_id: app.clientId,
    redirect_uri: asked.redirectUrl,
    scope: app.scopes.join(style.scopeSeparator ?? ' '),
    state: asked.state,
    ...(style.usesPkce ? { code_challenge: asked.codeChallenge, code_challenge_method: 'S256' } : {}),
  }
  for (const [name, value] of Object.entries(parameters)) endpoint.searchParams.set(name, value)
  return endpoint
}

/**
 * Exchanges a code for a token set. Throws ProviderError, with `code_refused` if the code was refused, or `credentials` if the client was
 * refused.
 */
export async function standardExchange(
  session: AppSession,
  options: StandardOAuth,
  granted: CodeExchange,
): Promise<TokenSet> {
  const library = await import('oauth4webapi')
  const { server, client, authentication, request } = requestParts(library, session, options)
  // the engine has already checked the state, and the exchange does not need the other parameters
  const callback = library.validateAuthResponse(
    server,
    client,
    new URLSearchParams({ code: granted.code }),
    library.skipStateCheck,
  )
  const tokenResponse = await read(library, 'code_refused', async () => {
    const response = await library.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      callback,
      granted.redirectUrl,
      options.takesPkce ? granted.codeVerifier : library.nopkce,
      request,
    )
    return checked(session, response, 'code_refused', () =>
      library.processAuthorizationCodeResponse(server, client, response),
    )
  })
  return buildTokenSet(session, options, tokenResponse, null)
}

/** Refreshes a token set and returns the next one. Throws ProviderError, with `grant_lost` if the refresh token was refused. */
export async function standardRefresh(
  session: AppSession,
  options: StandardOAuth,
  tokenSet: TokenSet,
): Promise<TokenSet> {
  const { refreshToken } = tokenSet
  if (refreshToken === null) throw new ProviderError('grant_lost', 'The access has ended and cannot be refreshed.')
  const library = await import('oauth4webapi')
  const { server, client, authentication, request } = requestParts(library, session, options)
  const tokenResponse = await read(library, 'grant_lost', async () => {
    const response = await library.refreshTokenGrantRequest(server, client, authentication, refreshToken, {
      ...request,
      ...(options.refreshParameters ? { additionalParameters: { ...options.refreshParameters } } : {}),
    })
    return checked(session, response, 'grant_lost', () => library.processRefreshTokenResponse(server, client, response))
  })
  return buildTokenSet(session, options, tokenResponse, tokenSet)
}

/** Sends a request to revoke access. Does nothing if access has already ended. Throws ProviderError. */
export async function endAccess(session: TokenSession, path: string): Promise<void> {
  try {
    await session.send({ method: 'DELETE', url: apiUrl(session, path), accepted: [404] })
  } catch (error) {
    if (!(error instanceof ProviderError && (error.kind === 'grant_lost' || error.kind === 'access_refused')))
      throw error
  }
}

/** Returns the parsed URL. Throws ProviderError `bad_request` unless it is https, or http on this machine. */
export function checkedUrl(text: string, purpose: string): URL {
  const url = new URL(text)
  if (url.protocol === 'https:' || isLoopback(url)) return url
  throw new ProviderError(
    'bad_request',
    `The ${purpose} URL must use https. Plain http is allowed for 127.0.0.1, ::1 and localhost only.`,
  )
}

/** Returns an `Authorization` header's value for HTTP Basic. */
export function basicAuthorization(app: ProviderApp): string {
  // RFC 6749 form-encodes both parts; characters that occur in real IDs stay unchanged, because some servers do not decode them
  const pair = `${encodeURIComponent(app.clientId)}:${encodeURIComponent(app.clientSecret)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}

function requestParts(library: Library, session: AppSession, options: StandardOAuth) {
  const { app } = session
  const tokenUrl = checkedUrl(options.tokenUrl ?? app.tokenUrl, 'token')
  const server: oauth.AuthorizationServer = { issuer: tokenUrl.origin, token_endpoint: tokenUrl.href }
  const authentication: oauth.ClientAuth =
    options.clientAuth === 'body'
      ? library.ClientSecretPost(app.clientSecret)
      : (_server, _client, _body, headers) => headers.set('authorization', basicAuthorization(app))
  return {
    server,
    client: { client_id: app.clientId },
    authentication,
    request: {
      [library.allowInsecureRequests]: isLoopback(tokenUrl),
      [library.customFetch]: sender(session),
    },
  }
}

/** Adapts the session to the library's fetch function. */
function sender(session: AppSession) {
  return async (endpoint: string, sent: oauth.CustomFetchOptions<'POST', URLSearchParams>): Promise<Response> => {
    const { accept, authorization } = sent.headers
    const tokenResponse = await session.send({
      method: 'POST',
      url: new URL(endpoint),
      headers: { ...(accept ? { accept } : {}), ...(authorization ? { authorization } : {}) },
      form: sent.body,
      accepted: [400, 401, 403],
    })
    // the media type is set here, because some providers declare their JSON as text
    return new Response(tokenResponse.text === '' ? null : tokenResponse.text, {
      status: tokenResponse.status,
      headers: { 'content-type': 'application/json' },
    })
  }
}

/** Reads the response. Throws for tokens that do not follow the standard, and for a refusal whose JSON body does not follow it. */
async function checked<T>(
  session: AppSession,
  response: Response,
  refused: ProviderErrorKind,
  process: () => Promise<T>,
): Promise<T> {
  const { status } = response
  const text = await response.clone().text()
  const body = parsedJson(text)
  if (status < 400) {
    // checked before the library does so, because it accepts 0, fractions, and texts that only begin with a number
    issuedTokens(session, body)
    return process()
  }
  if (asText(member(body, 'error'))) return process()
  if (body === undefined) {
    throw new ProviderError('bad_answer', 'The token URL refused the request without a reason in JSON.', { status })
  }
  const kind = status === 401 ? 'credentials' : refused
  throw new ProviderError(kind, SENTENCES[kind] ?? '', { status })
}

async function read<T>(library: Library, refused: ProviderErrorKind, request: () => Promise<T>): Promise<T> {
  try {
    return await request()
  } catch (error) {
    if (error instanceof ProviderError) throw error
    if (error instanceof library.ResponseBodyError) {
      const kind = KINDS[error.error] ?? refused
      throw new ProviderError(kind, SENTENCES[kind] ?? '', { status: error.status })
    }
    if (error instanceof library.OperationProcessingError || error instanceof library.UnsupportedOperationError) {
      // the cause is omitted, because it contains the response
      throw new ProviderError('bad_answer', 'The response to a token request does not follow the OAuth standard.')
    }
    throw error
  }
}

/** Meanings of the errors in RFC 6749. Any other error means that the code or the token was refused. */
const KINDS: Readonly<Record<string, ProviderErrorKind>> = {
  invalid_client: 'credentials',
  unauthorized_client: 'credentials',
  invalid_scope: 'bad_request',
  unsupported_grant_type: 'bad_request',
  server_error: 'unavailable',
  temporarily_unavailable: 'unavailable',
}

const SENTENCES: Partial<Record<ProviderErrorKind, string>> = {
  credentials: 'The client id or the client secret was refused.',
  code_refused: 'The code or its redirect URL was refused. A code works once, and for a short time.',
  grant_lost: 'The refresh token was refused. The person has to connect again.',
  bad_request: 'The token request was refused as invalid.',
  unavailable: 'The token URL is out of order.',
}

function buildTokenSet(
  session: AppSession,
  options: StandardOAuth,
  tokenResponse: oauth.TokenEndpointResponse,
  earlier: TokenSet | null,
): TokenSet {
  const scopes = tokenResponse.scope === undefined ? undefined : (options.scopeNames ?? atSpaces)(tokenResponse.scope)
  const { accessToken, refreshToken, expiresAt } = issuedTokens(session, tokenResponse)
  return {
    accessToken,
    refreshToken: refreshToken ?? earlier?.refreshToken ?? null,
    expiresAt,
    scopes: scopes ?? earlier?.scopes ?? null,
    extra: { ...earlier?.extra, ...options.extra?.(tokenResponse) },
  }
}

function atSpaces(text: string): readonly string[] {
  return text.split(/\s+/).filter(name => name !== '')
}

function isLoopback({ protocol, hostname }: URL): boolean {
  return (
    protocol === 'http:' && (hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname))
  )
}
