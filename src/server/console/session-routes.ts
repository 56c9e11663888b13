/** Sign-in, sign-out and the console's session. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { invalid, ServiceError } from '../../core/errors.ts'
import { hashSecret } from '../../core/ids.ts'
import { formatInstant } from '../../core/time.ts'
import { authenticate, sessionEnded } from '../../engine/authenticate.ts'
import {
  callerOf,
  deriveCsrfToken,
  endOfSession,
  lookAtSession,
  ownerOf,
  startSession,
  takeToken,
} from '../../engine/console/sessions.ts'
import { engineNow } from '../../engine/engine.ts'
import { forbiddenOperations } from '../../engine/teams/permissions.ts'
import type { SessionHolder, SessionOwner } from '../../store/console/session.ts'
import { receiveJson } from '../http/body.ts'
import { isFromElsewhere, queryText, readForm } from '../pages/form.ts'
import { html } from '../pages/html.ts'
import { type HtmlPage, sendPage } from '../pages/layout.ts'
import { basePath } from '../pages/page-context.ts'
import { hidden } from '../pages/parts.ts'
import { browserFamily } from './browser-family.ts'
import { requireCsrfToken } from './cookie.ts'
import type { ConsoleOptions } from './options.ts'

export function addSessionRoutes(app: FastifyInstance, options: ConsoleOptions): void {
  const { engine, cookie, guesses, budget } = options

  app.get('/console/session', async (request, reply) => {
    const { secret, ...holder } = await requireSession(options, request)
    return sendSession(reply, options, secret, holder)
  })

  app.post('/console/sign-in', async (request, reply) => {
    const { headers, clientAddress } = request
    requireOwnOrigin(headers, options.publicUrl)
    if (/^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')) {
      return useSignInUrl(options, request, reply, (await readForm(request)).get('token') ?? '')
    }
    if (!/^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '')) {
      throw new ServiceError('unsupported_media_type', 'The media type is not accepted here. Send application/json.')
    }
    const body = await receiveJson(request.body as Readable | undefined, headers, budget)
    body?.release()
    const credentials = { kind: 'headers', apiKey: keyIn(body?.input), linkToken: null } as const
    const caller = await authenticate(engine, 'api_key', credentials, await engineNow(engine)).catch(error => {
      if (error instanceof ServiceError && error.code === 'invalid_api_key') guesses.failed('api_key', clientAddress)
      throw error
    })
    return beginSession(options, request, reply, ownerOf(caller))
  })

  // a HEAD request would consume the token
  app.get('/console/sign-in', { exposeHeadRoute: false }, async (request, reply) => {
    const token = queryText(request, 'token')
    // without a token, the console asks for an API key
    if (token === '') return options.showShell(request, reply)
    // links in e-mails and chats also come from another site, but so do links from attackers who want others to sign in to the attacker's
    // team
    if (isFromElsewhere(request)) return sendPage(reply, basePath(engine), confirmation(basePath(engine), token))
    return useSignInUrl(options, request, reply, token)
  })

  app.post('/console/sign-out', async (request, reply) => {
    const { headers } = request
    const { session } = await requireSession(options, request)
    const body = await receiveJson(request.body as Readable | undefined, headers, budget)
    body?.release()
    if (isEverywhere(body?.input)) await engine.store.console.removeAllOf(session)
    else await engine.store.console.remove(session.hash)
    options.onEnded()
    reply.code(204).header('set-cookie', cookie.clear(headers))
    return ''
  })
}

/** Returns the browser's session with its secret. Throws ServiceError `session_ended`, or `csrf_token_missing` for a change. */
export async function requireSession(
  { engine, cookie }: ConsoleOptions,
  { method, headers }: FastifyRequest,
): Promise<SessionHolder & { readonly secret: string }> {
  const secret = cookie.read(headers)
  const holder = secret === null ? null : await lookAtSession(engine, secret)
  if (secret === null || holder === null) throw sessionEnded()
  requireCsrfToken(method, headers, secret)
  return { ...holder, secret }
}

/** Starts a session in the browser, and returns it. */
export async function beginSession(
  options: ConsoleOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  owner: SessionOwner,
): Promise<string> {
  const { engine } = options
  const { secret } = await startSession(engine, owner, browserFamily(request.headers['user-agent']))
  await keepSession(options, request, reply, secret)
  const holder = await lookAtSession(engine, secret)
  if (holder === null) throw sessionEnded()
  return sendSession(reply, options, secret, holder)
}

/** Signs in with the token of a one-time URL, and redirects to the console. */
async function useSignInUrl(
  options: ConsoleOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
): Promise<string> {
  const base = basePath(options.engine)
  const secret = await takeToken(options.engine, token, browserFamily(request.headers['user-agent']))
  if (secret === null) {
    options.guesses.failed('console_token', request.clientAddress)
    return sendPage(reply, base, USED_URL)
  }
  await keepSession(options, request, reply, secret)
  reply.code(303).header('location', `${base}/console`)
  return ''
}

/** Returns the page that is shown if another site opened the URL. The page replaces the automatic sign-in. */
function confirmation(base: string, token: string): HtmlPage {
  return {
    title: 'Sign in to the console?',
    heading: 'svc console',
    notice: 'A URL signs in once, and only for a short time.',
    body: html`<h1>Sign in to the console?</h1>
<p>Another site led you here. Sign in only if you requested this URL:
whoever created it decides whose data you see, and sees what you enter.</p>
<form method="post" action="${base}/console/sign-in">
${hidden({ token })}
<div class="actions"><button>Sign in</button></div>
</form>`,
  }
}

const USED_URL = {
  title: 'This URL cannot be used',
  status: 401,
  heading: 'svc console',
  notice: 'A URL signs in once, and only for a short time.',
  body: html`<h1>This URL cannot be used</h1>
<p>It has been used, or it has expired.</p>
<p>Run <code>svc open</code> again for a new one, ask whoever sent it to you for another one, or <a href="../console">sign in with an API key</a>.</p>`,
}

/** Replaces the browser's session with a new one. */
async function keepSession(
  { engine, cookie }: ConsoleOptions,
  { headers }: FastifyRequest,
  reply: FastifyReply,
  secret: string,
): Promise<void> {
  const before = cookie.read(headers)
  if (before !== null && before !== secret) await engine.store.console.remove(hashSecret(before))
  reply.header('set-cookie', cookie.set(headers, secret))
}

function sendSession(
  reply: FastifyReply,
  { engine, version }: ConsoleOptions,
  secret: string,
  holder: SessionHolder,
): string {
  reply.type('application/json')
  const { team, key, person } = holder
  const caller = callerOf(holder)
  return JSON.stringify({
    team: { id: team.teamId, name: team.name },
    key: { label: key?.label ?? null, is_operator: caller.isOperator },
    person: person && { id: person.personId, name: person.name, role: person.role },
    forbidden: forbiddenOperations(caller),
    csrf_token: deriveCsrfToken(secret),
    expires_at: formatInstant(endOfSession(holder)),
    version,
    public_url: engine.publicUrl(),
  })
}

/** Throws ServiceError `csrf_token_missing` for a request from another site, which could sign a user in to the attacker's team. */
export function requireOwnOrigin(headers: IncomingHttpHeaders, publicUrl: string | null): void {
  const { origin, host, 'sec-fetch-site': site } = headers
  const isOwn =
    site === undefined
      ? origin !== undefined &&
        (originHost(origin) === host || (publicUrl !== null && new URL(publicUrl).origin === origin))
      : site === 'same-origin'
  if (isOwn) return
  throw new ServiceError('csrf_token_missing', "Only the console's own page can sign in here.")
}

function originHost(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null
}

function keyIn(body: unknown): string {
  const { api_key: key } = (body ?? {}) as { readonly api_key?: unknown }
  if (typeof key === 'string' && key !== '') return key
  throw invalid([{ loc: ['body', 'api_key'], msg: 'must be an API key', type: 'value_error' }])
}

function isEverywhere(body: unknown): boolean {
  const { everywhere = false } = (body ?? {}) as { readonly everywhere?: unknown }
  if (typeof everywhere === 'boolean') return everywhere
  throw invalid([{ loc: ['body', 'everywhere'], msg: 'must be true or false', type: 'value_error' }])
}
