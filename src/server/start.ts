/** `svc serve`: opens the engine on a data folder, listens, and closes so that running requests still finish. */
import { type AddressInfo, isIP } from 'node:net'
import { ServiceError } from '../core/errors.ts'
import { engineNow } from '../engine/engine.ts'
import { type OpenEngine, type OpenOptions, openEngine } from '../engine/open.ts'
import { markServer, unmarkServer } from '../store/data-folder.ts'
import { AggregateThread, canThread } from './aggregate-thread.ts'
import { buildApp } from './app.ts'
import { startDueWork } from './due-work.ts'
import { addSessionKey, type SessionKey } from './session-key.ts'
import { spelling } from './spelling.ts'

export interface ServerOptions {
  readonly dataDir: string
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  /** `vital` also accepts x-vital-api-key and application/vnd.vital.…; see spelling.ts. */
  readonly acceptHeaderPrefixes: readonly string[]
  /** A key to accept instead of a fresh one; revoked at close like the fresh one. */
  readonly apiKey: string | null
  /** Where browsers reach the server when it is not the address it listens on. */
  readonly publicUrl: string | null
  /** Allows a host other than loopback without TLS. */
  readonly insecureHttp: boolean
  /** One line (or a few, for a bug of ours) without keys or values of users. */
  readonly log: (line: string) => void
  /** Version for /openapi.json. */
  readonly version?: string
  /** How long close() waits for running requests. */
  readonly graceMs?: number
  /** Injected clock, chance and sizes: for tests. */
  readonly engine?: Pick<OpenOptions, 'time' | 'random' | 'seed' | 'pageSize'>
}

export interface RunningServer {
  /** `http://127.0.0.1:8123`: where it listens. */
  readonly url: string
  readonly apiKey: string
  readonly teamId: string
  /** Stops accepting, lets running requests finish, revokes the session key and closes the store. Safe to call again. */
  close(): Promise<void>
}

const GRACE_MS = 30_000
/** How long a call whose connection was cut may still take to notice. */
const ABORT_MS = 2_000
const IDLE_SWEEP_MS = 50

/**
 * Ready to accept when it resolves. Throws ServiceError `port_in_use`, `usage` (host, key, prefix or public URL that cannot be
 * right), and what openEngine throws.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  refuseOpenHost(options.host, options.insecureHttp)
  if (options.apiKey !== null) refuseWeakKey(options.apiKey)
  const accepted = spelling(options.acceptHeaderPrefixes)
  let publicUrl = options.publicUrl === null ? null : cleanUrl(options.publicUrl)
  const thread = canThread() ? new AggregateThread(options.dataDir) : null
  const engine = openEngine({
    ...options.engine,
    aggregates: thread ? (work, signal) => thread.run(work, signal) : undefined,
    dataDir: options.dataDir,
    waitForLock: 'async',
    // read at every call: the port is known only after listening
    get publicUrl() {
      return publicUrl
    },
  })
  let key: SessionKey | undefined
  try {
    const running = new Set<Promise<unknown>>()
    let closing = false
    key = await addSessionKey(engine, options.apiKey)
    const app = await buildApp({
      engine: engine.context,
      spelling: accepted,
      version: options.version ?? 'unknown',
      log: options.log,
      isClosing: () => closing,
      track(call) {
        const settled = call.then(ignore, ignore)
        running.add(settled)
        void settled.then(() => running.delete(settled))
      },
    })
    await listen(app, options.host, options.port)
    const url = urlOf(options.host, (app.server.address() as AddressInfo).port)
    publicUrl ??= url
    markServer(engine.folder, publicUrl)
    const dueWork = startDueWork(engine.context, { log: options.log })

    const close = async (): Promise<void> => {
      closing = true
      const cut = setTimeout(() => app.server.closeAllConnections(), options.graceMs ?? GRACE_MS)
      // a connection that was busy when closing began turns idle later
      const sweep = setInterval(() => app.server.closeIdleConnections(), IDLE_SWEEP_MS)
      try {
        await app.close()
        await settle(running, ABORT_MS)
      } finally {
        clearTimeout(cut)
        clearInterval(sweep)
        await dueWork.stop()
        await thread?.close()
        await putAway(engine, key)
      }
    }
    let closed: Promise<void> | undefined
    return {
      url,
      apiKey: key.key,
      teamId: key.teamId,
      close() {
        closed ??= close()
        return closed
      },
    }
  } catch (error) {
    await putAway(engine, key)
    throw error
  }
}

async function putAway(engine: OpenEngine, key: SessionKey | undefined): Promise<void> {
  try {
    unmarkServer(engine.folder)
    if (key) await engine.context.store.revokeKey(key.keyId, await engineNow(engine.context))
  } finally {
    await engine.close()
  }
}

async function settle(running: ReadonlySet<Promise<unknown>>, mostMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, mostMs)
  })
  await Promise.race([Promise.all(running), late])
  clearTimeout(timer)
}

async function listen(app: Awaited<ReturnType<typeof buildApp>>, host: string, port: number): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    await app.close()
    throw listenError(error, host, port)
  }
}

function listenError(error: unknown, host: string, port: number): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new ServiceError('port_in_use', `Port ${port} on ${host} is taken by another process.`, {
        suggestions: ['Choose another with --port, or --port 0 for a free one.'],
        cause: error,
      })
    case 'EACCES':
      return new ServiceError('usage', `Port ${port} needs rights that this process lacks.`, {
        suggestions: ['Choose a port from 1024 to 65535 with --port, or --port 0 for a free one.'],
        cause: error,
      })
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new ServiceError('usage', `${host} is not an address of this machine.`, {
        suggestions: ['Use --host 127.0.0.1, or an address of one of its network interfaces.'],
        cause: error,
      })
    default:
      return error
  }
}

function refuseOpenHost(host: string, insecureHttp: boolean): void {
  if (insecureHttp || isLoopback(host)) return
  throw new ServiceError(
    'usage',
    `Listening on ${host} would send keys and health data over the network in clear text.`,
    {
      suggestions: [
        'Allowed without more: a loopback host (127.0.0.1, ::1, localhost).',
        'With --insecure-http any host: only behind a proxy that speaks TLS, or on a network you trust.',
      ],
    },
  )
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

const LEAST_KEY_CHARACTERS = 16
const MOST_KEY_CHARACTERS = 512

function refuseWeakKey(key: string): void {
  const isPrintable = /^[\x21-\x7e]+$/.test(key)
  if (isPrintable && key.length >= LEAST_KEY_CHARACTERS && key.length <= MOST_KEY_CHARACTERS) return
  throw new ServiceError(
    'usage',
    `The API key must be ${LEAST_KEY_CHARACTERS} to ${MOST_KEY_CHARACTERS} printable ASCII characters without spaces.`,
  )
}

function cleanUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new ServiceError(
      'usage',
      'The public URL must be an http or https address without credentials, query or fragment.',
    )
  }
  return url.href.replace(/\/+$/, '')
}

function urlOf(host: string, port: number): string {
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}

function ignore(): void {}
