/** `GET /console/events/stream`: the team's new events as they happen, as server-sent events. */
import { PassThrough } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { parseInput } from '../../contract/kernel/validation.ts'
import { operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import { isUuid } from '../../core/ids.ts'
import { authenticate } from '../../engine/authenticate.ts'
import { lookAtSession } from '../../engine/console/sessions.ts'
import type { Caller, Credentials, EngineContext } from '../../engine/context.ts'
import { engineNow } from '../../engine/engine.ts'
import { eventItem } from '../../engine/events/listing.ts'
import { refuseForbidden } from '../../engine/teams/permissions.ts'
import { activeUser } from '../../engine/users/users.ts'
import type { EventPosition, ListedEvent } from '../../store/event.ts'
import { queryText } from '../pages/form.ts'
import { EventFeed, type EventFilter } from './event-feed.ts'
import type { ConsoleOptions } from './options.ts'

export const STREAM_PATH = '/console/events/stream'
/** Maximum number of streams per key or owner, and in total. Each stream occupies a connection. */
const MOST_OF_CALLER = 20
const MOST = 500
const HEARTBEAT_MS = 15_000
/** A browser that reads more slowly than events arrive is disconnected, and continues from its last event. */
const MOST_UNREAD_BYTES = 1024 * 1024
/** How long a browser waits before it reconnects. */
const RETRY_MS = 2_000

interface Open {
  readonly out: PassThrough
  readonly who: string
  readonly credentials: Credentials
  close(): void
}

/** The open streams of a server. */
export class EventStreams {
  private readonly options: ConsoleOptions
  private readonly feed: EventFeed
  private readonly open = new Set<Open>()
  private heartbeat: NodeJS.Timeout | undefined
  private isStopped = false

  constructor(options: ConsoleOptions) {
    this.options = options
    this.feed = new EventFeed(options.engine, { onError: error => options.onError(error) })
  }

  add(app: FastifyInstance): void {
    app.get(STREAM_PATH, { exposeHeadRoute: false }, (request, reply) => this.begin(request, reply))
    app.addHook('preClose', async () => this.stop())
  }

  /** Ends streams whose session has ended or whose key was revoked. */
  async endStale(): Promise<void> {
    for (const each of [...this.open]) {
      const isValid = await isStillValid(this.options.engine, each.credentials).catch(() => true)
      if (!isValid) each.close()
    }
  }

  private stop(): void {
    this.isStopped = true
    clearInterval(this.heartbeat)
    this.feed.stop()
    for (const each of [...this.open]) each.close()
  }

  private async begin(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { engine } = this.options
    const credentials = this.readCredentials(request)
    const caller = await this.findCaller(request, credentials)
    refuseForbidden(operations['event.list'], caller, { query: {} })
    const filter = await readFilter(engine, request, caller)
    const { position, isKnown } = await readStart(engine, request, filter)
    if (this.isStopped) throw new ServiceError('overloaded', 'The server is closing.')
    const who = `${filter.teamId} ${caller.actor}`
    this.refuseTooMany(who)
    const out = new PassThrough()
    const leave = this.feed.watch({ filter, take: events => this.send(opened, events) }, position)
    const opened: Open = {
      out,
      who,
      credentials,
      close: () => {
        leave()
        this.open.delete(opened)
        if (this.open.size === 0) clearInterval(this.heartbeat)
        out.end()
      },
    }
    if (this.open.size === 0) this.heartbeat = setInterval(() => this.keepAlive(), HEARTBEAT_MS).unref()
    this.open.add(opened)
    request.leaveShare()
    reply.raw.once('close', opened.close)
    out.write(`retry: ${RETRY_MS}\n: ready\n\n${isKnown ? '' : 'event: gap\ndata: {}\n\n'}`)
    return reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no').send(out)
  }

  private readCredentials({ headers }: FastifyRequest): Credentials {
    const { prefixes, cookie } = this.options
    const apiKey = prefixes.header(headers, 'api-key') ?? ownKey(headers['x-svc-api-key'])
    return { kind: 'headers', apiKey, linkToken: null, session: apiKey === null ? cookie.read(headers) : null }
  }

  private async findCaller({ clientAddress }: FastifyRequest, credentials: Credentials): Promise<Caller> {
    const { engine, guesses, rates } = this.options
    try {
      const caller = await authenticate(engine, 'api_key', credentials, await engineNow(engine))
      rates.admit(caller)
      return caller
    } catch (error) {
      const isGuess = credentials.kind === 'headers' && credentials.apiKey !== null
      if (isGuess && error instanceof ServiceError && error.code === 'invalid_api_key') {
        guesses.failed('api_key', clientAddress)
      }
      throw error
    }
  }

  private refuseTooMany(who: string): void {
    const own = [...this.open].filter(each => each.who === who).length
    if (own < MOST_OF_CALLER && this.open.size < MOST) return
    throw new ServiceError(
      'rate_limited',
      `Too many open event streams: at most ${MOST_OF_CALLER} per API key and ${MOST} per server. Close some.`,
      { headers: { 'retry-after': '15' } },
    )
  }

  private async send(to: Open, events: readonly ListedEvent[]): Promise<boolean> {
    // a key that was revoked in the meantime must not receive later events
    if (events.length > 0 && !(await isStillValid(this.options.engine, to.credentials))) to.close()
    if (!this.open.has(to)) return false
    for (const each of events) {
      to.out.write(`id: ${each.event.eventId}\nevent: event\ndata: ${JSON.stringify(eventItem(each))}\n\n`)
    }
    if (to.out.writableLength + to.out.readableLength > MOST_UNREAD_BYTES) to.close()
    return this.open.has(to)
  }

  private keepAlive(): void {
    for (const { out } of this.open) out.write(':\n\n')
    void this.endStale()
  }
}

function ownKey(value: string | string[] | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** Returns whether the session or key is still valid. An open stream does not keep its session alive. */
async function isStillValid(engine: EngineContext, credentials: Credentials): Promise<boolean> {
  if (credentials.kind !== 'headers') return true
  const { apiKey, session } = credentials
  if (apiKey === null) return session != null && (await lookAtSession(engine, session)) !== null
  return authenticate(engine, 'api_key', credentials, await engineNow(engine)).then(
    () => true,
    error => !(error instanceof ServiceError && error.code === 'invalid_api_key'),
  )
}

/** Parses the filter, which accepts and refuses the same values as in the event list. */
async function readFilter(engine: EngineContext, request: FastifyRequest, { team }: Caller): Promise<EventFilter> {
  if (team === null) throw new Error('a key and a session have a team')
  const { type, user_id } = request.query as Readonly<Record<string, unknown>>
  const given = Object.entries({ type, user_id }).filter(([, value]) => value !== undefined && value !== '')
  const raw = { params: {}, query: Object.fromEntries(given), body: undefined }
  const { query } = parseInput(operations['event.list'], raw, engine.providers)
  const user = query.user_id === undefined ? null : await activeUser(engine, team.teamId, query.user_id)
  return { teamId: team.teamId, types: query.type?.split(',') ?? null, userId: user?.userId ?? null }
}

/** Returns a stream's first position: after the last event that the browser saw, or now. */
async function readStart(
  engine: EngineContext,
  request: FastifyRequest,
  { teamId }: EventFilter,
): Promise<{ readonly position: EventPosition; readonly isKnown: boolean }> {
  const { events } = engine.store
  const header = request.headers['last-event-id']
  const last = typeof header === 'string' && header !== '' ? header : queryText(request, 'after')
  const position = isUuid(last) ? await events.positionOf(teamId, last.toLowerCase()) : null
  return { position: position ?? (await events.end(teamId, null)), isKnown: last === '' || position !== null }
}
