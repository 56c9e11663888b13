/** The server's side of the console: the document that loads it, its files, its sessions and its event stream. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import { passkeySite } from '../../engine/console/passkeys.ts'
import { basePath } from '../pages/page-context.ts'
import type { ConsoleAssets } from './assets.ts'
import { EventStreams, STREAM_PATH } from './event-stream.ts'
import type { ConsoleOptions } from './options.ts'
import { addPasskeyRoutes } from './passkey-routes.ts'
import { addSessionRoutes } from './session-routes.ts'
import { sendShell } from './shell.ts'

/** The console's routes, for the response to a wrong method. */
export const CONSOLE_ROUTES: readonly { readonly method: 'GET' | 'POST'; readonly path: string }[] = [
  { method: 'GET', path: '/console' },
  { method: 'GET', path: '/console/passkeys' },
  { method: 'POST', path: '/console/passkeys' },
  { method: 'POST', path: '/console/passkeys/creation-options' },
  { method: 'POST', path: '/console/passkeys/remove' },
  { method: 'POST', path: '/console/passkeys/request-options' },
  { method: 'POST', path: '/console/passkeys/sign-in' },
  { method: 'GET', path: '/console/session' },
  { method: 'GET', path: '/console/sign-in' },
  { method: 'POST', path: '/console/sign-in' },
  { method: 'POST', path: '/console/sign-out' },
  { method: 'GET', path: STREAM_PATH },
]

/** Routes after which sessions may have ended, so that their event streams close at once. */
const ENDING: ReadonlySet<string> = new Set(
  (['session.end', 'person.remove', 'key.revoke'] as const).map(id => {
    const { method, path } = operations[id]
    return `${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`
  }),
)

export function addConsole(
  app: FastifyInstance,
  assets: ConsoleAssets,
  options: Omit<ConsoleOptions, 'showShell' | 'onEnded'>,
): void {
  const showShell = (request: FastifyRequest, reply: FastifyReply): string => {
    const manifest = assets.manifest()
    if (manifest === null) throw new ServiceError('not_found', 'This build of svc does not contain the console.')
    const passkeys = passkeySite(options.engine)?.origin ?? ''
    const [path = ''] = request.url.split('?')
    const visit = { path, hasSession: options.cookie.read(request.headers) !== null }
    return sendShell(reply, visit, { base: basePath(options.engine), passkeys }, manifest)
  }
  const all: ConsoleOptions = { ...options, showShell, onEnded: () => void streams.endStale() }
  const streams: EventStreams = new EventStreams(all)
  addSessionRoutes(app, all)
  addPasskeyRoutes(app, all)
  streams.add(app)
  app.addHook('onResponse', async ({ method }, { template }) => {
    if (ENDING.has(`${method} ${template}`)) void streams.endStale()
  })
  app.get('/console/assets/:name', async (request, reply) => {
    const { name } = request.params as { name: string }
    const asset = await assets.asset(name, request.headers['accept-encoding'] ?? '')
    if (asset === null) throw new ServiceError('not_found', 'Not Found')
    reply.type(asset.type).headers({
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      ...(asset.encoding === null ? {} : { 'content-encoding': asset.encoding }),
    })
    return asset.bytes
  })
  for (const path of ['/console', '/console/*']) {
    app.get(path, async (request, reply) => {
      if (isMissingFile(request.url)) throw new ServiceError('not_found', 'Not Found')
      return showShell(request, reply)
    })
  }
}

/** Returns whether a URL refers to an unknown file. Such a URL must not return a page. */
function isMissingFile(url: string): boolean {
  return url.startsWith('/console/assets')
}
