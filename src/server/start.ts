/** Implements `svc serve`: opens the engine on a data folder, listens, and lets running requests finish when closing. */
import type { AddressInfo } from 'node:net'
import { ServiceError } from '../core/errors.ts'
import { startDeliverer } from '../delivery/deliverer.ts'
import { engineNow } from '../engine/engine.ts'
import { type OpenEngine, openEngine } from '../engine/open.ts'
import { markServer, unmarkServer } from '../store/folder/data-folder.ts'
import type { Count } from '../store/team.ts'
import { BODY_HEAP_MB, BodyThread } from './bodies/body-thread.ts'
import { BodyBudget } from './bodies/budget.ts'
import { ClientAddresses } from './connections/client-address.ts'
import { servedConsole } from './console/served.ts'
import { type DueWork, startDueWork } from './due-work.ts'
import { DEFAULT_FAULT_SEED, faultText } from './faults/fault-plan.ts'
import { watchClock } from './guards/clock-watch.ts'
import { DiskWatch } from './guards/disk-watch.ts'
import { GuessLimit } from './guards/guess-limit.ts'
import { DEFAULT_RATE_LIMIT, RateLimit } from './guards/rate-limit.ts'
import { watchStore } from './guards/store-watch.ts'
import { buildApp } from './http/app.ts'
import { parseOrigins } from './http/cors.ts'
import { headerPrefixes } from './http/header-prefix.ts'
import { cleanUrl, isLoopback, listen, localServerUrl, refuseOpenHost, serverUrl } from './http/listen.ts'
import { readTlsPair } from './http/tls.ts'
import { type LiveWork, startLiveWork } from './live/live-work.ts'
import { serverLog } from './observability/log.ts'
import { type ServerMetrics, serverMetrics } from './observability/metrics.ts'
import type { ServerOptions } from './server-options.ts'
import { addProfileKey, addSessionKey, refuseWeakKey, type SessionKey } from './session-key.ts'
import { canThread, EngineThread, EngineThreads } from './threads/engine-thread.ts'
import type { ThreadOptions } from './threads/engine-worker.ts'

export interface RunningServer {
  /** The URL that the server listens on: `http://127.0.0.1:8123`. */
  readonly url: string
  /** The URL at which this machine reaches the server. It differs from `url` only if the server listens on all interfaces. */
  readonly localUrl: string
  readonly apiKey: string
  readonly keyOrigin: SessionKey['origin']
  readonly teamId: string
  /** Keeps the key valid after the server stops. Called once the key is stored. */
  keepKey(): void
  /** Stops accepting requests, lets running ones finish, revokes the session key and closes the store. Safe to call again. */
  close(): Promise<void>
}

const GRACE_MS = 30_000
/** How long a call may take to detect that its connection was closed. */
const ABORT_MS = 2_000
const IDLE_SWEEP_MS = 50

/**
 * Starts a server, and resolves when it accepts requests. Throws ServiceError `port_in_use`, `usage` (for a host, key, prefix or public URL
 * that is not valid), and any error from openEngine.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const tls = options.tls ? readTlsPair(options.tls) : null
  refuseOpenHost(options.host, options.insecureHttp || tls !== null)
  const origins = parseOrigins(options.corsOrigins ?? [])
  const clients = new ClientAddresses(options.trustedProxies ?? [])
  const log = serverLog(options.logFormat ?? 'text', options.log, Date.now)
  if (tls && tls.validTo.getTime() < Date.now()) log.note('the certificate given with --tls-cert has expired')
  if (options.apiKey !== null) refuseWeakKey(options.apiKey)
  const accepted = headerPrefixes(options.acceptHeaderPrefixes)
  let publicUrl = options.publicUrl === null ? null : cleanUrl(options.publicUrl)
  const { dataDir, store, providers, allowPrivateTargets } = options
  const consoleHost = { host: options.host, hasTls: tls !== null, hasProxies: clients.hasProxies, publicUrl }
  const served = servedConsole(consoleHost, options)
  // when svc runs from source, there is no module for a thread to load, so long work runs on the event loop in small parts
  const loopbackTargets = options.allowLoopbackTargets ? 'any' : isLoopback(options.host) ? undefined : 'none'
  const threadOptions = (): ThreadOptions => ({
    dataDir,
    store,
    publicUrl,
    providers,
    allowPrivateTargets,
    loopbackTargets,
  })
  let metrics: ServerMetrics | undefined
  const observe: ServerMetrics['observed'] = seen => metrics?.observed(seen)
  const count = (each: Count): void => engine.context.count?.(each)
  const threads = canThread() ? new EngineThreads(threadOptions, { observe, count }) : null
  const bodyThread = canThread()
    ? new BodyThread(new EngineThread(threadOptions, { limits: { maxOldGenerationSizeMb: BODY_HEAP_MB }, count }))
    : null
  const engine = await openEngine({
    ...options.engine,
    apart: threads ?? undefined,
    dataDir,
    store,
    providers,
    allowPrivateTargets,
    loopbackTargets,
    waitForLock: 'async',
    note: log.note,
    observe,
    consoleUrl: () => (served?.isBuilt && publicUrl !== null ? `${publicUrl}/console` : null),
    // read at every call, because the port is known only once the server listens
    get publicUrl() {
      return publicUrl
    },
  })
  let key: SessionKey | undefined
  try {
    const running = new Set<Promise<unknown>>()
    let closing = false
    const scheme = tls ? 'https' : 'http'
    const { profile } = options
    const isForThisServer = !profile?.baseUrl || profile.baseUrl === localServerUrl(scheme, options.host, options.port)
    key = profile
      ? await addProfileKey(engine, { profile: profile.name, key: profile.key, isForThisServer })
      : await addSessionKey(engine, options.apiKey)
    const version = options.version ?? 'unknown'
    const budget = new BodyBudget(options.maxBytesInFlight)
    const counted = await serverMetrics({
      engine: engine.context,
      version,
      bodyBytes: () => budget.heldBytes,
    })
    metrics = counted
    const disk = new DiskWatch({
      checkRoom: () => engine.context.store.upkeep.checkRoom(),
      log: log.note,
      onRoom: () => dueWork?.look(),
    })
    let dueWork: DueWork | undefined
    let liveWork: LiveWork | undefined
    const app = await buildApp({
      engine: engine.context,
      sharing: engine.sharing,
      prefixes: accepted,
      version,
      log,
      metrics: counted,
      metricsAreOpen: options.metricsAreOpen ?? false,
      faults: {
        faults: options.faults ?? [],
        seed: options.faultSeed ?? DEFAULT_FAULT_SEED,
        store: engine.context.store,
      },
      rates: new RateLimit(options.rateLimit ?? DEFAULT_RATE_LIMIT),
      disk,
      guesses: new GuessLimit({ now: () => performance.now() }),
      clients,
      budget,
      bodyThread,
      origins,
      tls,
      console: served && { ...served, onError: error => void onError(error) },
      onNotified: () => liveWork?.look(),
      isClosing: () => closing,
      track(call) {
        const forget = (): boolean => running.delete(call)
        running.add(call)
        call.then(forget, forget)
      },
    })
    await listen(app, options.host, options.port)
    const { port } = app.server.address() as AddressInfo
    const url = serverUrl(scheme, options.host, port)
    publicUrl ??= url
    markServer(engine.folder, publicUrl, served?.isBuilt ?? false)
    for (const fault of options.faults ?? []) log.note(`fault on purpose: ${faultText(fault)}`)
    const storeWatch = watchStore(engine.context, { log: log.note, onBack: () => dueWork?.look() })
    const onError = (error: unknown): boolean => disk.report(error) || storeWatch.report(error)
    const work = startDueWork(engine.context, { log: log.note, onError })
    dueWork = work
    const live = startLiveWork(engine.context, { log: log.note, onError })
    liveWork = live
    const watch = watchClock(engine.context, () => work.look())
    const deliverer =
      options.delivers === false
        ? null
        : startDeliverer({ engine: engine.context, version, log: log.note, onAttempt: counted.attempted, onError })

    const close = async (): Promise<void> => {
      closing = true
      const cut = setTimeout(() => app.server.closeAllConnections(), options.graceMs ?? GRACE_MS)
      // connections that were busy when the server began to close become idle later
      const sweep = setInterval(() => app.server.closeIdleConnections(), IDLE_SWEEP_MS)
      try {
        await app.close()
        await settle(running, ABORT_MS)
      } finally {
        clearTimeout(cut)
        clearInterval(sweep)
        watch.stop()
        await Promise.all([work.stop(), live.stop(), deliverer?.stop(), disk.stop()])
        await Promise.all([threads?.close(), bodyThread?.close()])
        await putAway(engine, key, { note: log.note, beforeClose: storeWatch.stop })
      }
    }
    let closed: Promise<void> | undefined
    return {
      url,
      localUrl: localServerUrl(scheme, options.host, port),
      apiKey: key.key,
      keyOrigin: key.origin,
      teamId: key.teamId,
      keepKey() {
        if (key) key = { ...key, keyId: null }
      },
      close() {
        closed ??= close()
        return closed
      },
    }
  } catch (error) {
    await putAway(engine, key, { note: log.note })
    throw error
  }
}

interface PuttingAway {
  readonly note: (line: string) => void
  /** Called when only the store is still open. */
  readonly beforeClose?: () => void
}

async function putAway(
  engine: OpenEngine,
  key: SessionKey | undefined,
  { note, beforeClose = () => {} }: PuttingAway,
): Promise<void> {
  try {
    unmarkServer(engine.folder)
    if (key?.keyId) await engine.context.store.teams.revokeKey(key.keyId, await engineNow(engine.context))
  } catch (error) {
    if (!isAway(error)) throw error
    note(
      'the API key of this run could not be revoked: the next svc serve that this machine runs on the store will revoke it',
    )
  } finally {
    beforeClose()
    await engine.close()
  }
}

/** Returns whether the store was lost or its server does not respond. */
function isAway(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === 'store_lost' || error.code === 'store_unreachable')
}

async function settle(running: ReadonlySet<Promise<unknown>>, mostMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, mostMs)
  })
  await Promise.race([Promise.allSettled(running), late])
  clearTimeout(timer)
}
