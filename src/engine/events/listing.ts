/** Lists and shows events: their content, the state of their deliveries, and the body that is sent. */
import type { HandlerInput, ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { invalid, ServiceError } from '../../core/errors.ts'
import { formatInstant } from '../../core/time.ts'
import { TimeSlice } from '../../core/time-slice.ts'
import type { EventDelivery, EventPosition, EventQuery, ListedEvent, OutboxEvent } from '../../store/event.ts'
import { type EngineContext, type Handler, ok, type TeamCall } from '../context.ts'
import { parseRangeEnd, parseRangeStart } from '../readings/timeseries.ts'
import { activeUser } from '../users/users.ts'
import { openPosition, sealPosition } from './cursor.ts'
import { rendered, renderedBody } from './render.ts'

type Query = HandlerInput<Operations['event.list']>['query']
type Page = ReplyBody<Operations['event.list']>

export const listEvents: Handler<'event.list'> = async (engine, { query }, call) => {
  checkQuery(query)
  const asked = await askedFor(engine, query, call)
  const pagination = cursorBinding(asked)
  const key = engine.masterKey()
  const given = query.next_cursor ? openPosition(key, pagination, query.next_cursor) : null
  // read before the list, so that the list contains everything up to this position
  const end = query.order === 'asc' ? await engine.store.events.end(asked.teamId, asked.userId) : null
  if (query.from !== undefined && end !== null) return ok({ data: [], next_cursor: sealPosition(key, pagination, end) })
  const found = await engine.store.events.list({ ...asked, after: given, limit: query.limit + 1 })
  const shown = found.slice(0, query.limit)
  if (!query.payload) {
    const next = nextPosition({ found, shown, given, end })
    return ok({ data: shown.map(eventItem), next_cursor: next && sealPosition(key, pagination, next) })
  }
  const { data, texts } = await readPage(engine, shown, call.signal)
  const next = nextPosition({ found, shown: found.slice(0, data.length), given, end })
  const next_cursor = next && sealPosition(key, pagination, next)
  return {
    ...ok({ data, next_cursor }),
    wire: () => Buffer.from(`{"data":[${texts.join(',')}],"next_cursor":${JSON.stringify(next_cursor)}}`),
  }
}

export const getEvent: Handler<'event.get'> = async (engine, { params }, call) => {
  const found = await engine.store.events.find(call.team.teamId, params.event_id)
  if (!found) throw eventNotFound()
  return ok({
    ...eventFacts(found.event),
    deliveries: found.deliveries.map(deliveryView),
    payload: { ...renderedBody(found.event, engine.providers) },
  })
}

/** Returns the 404 error for an unknown event. Other teams' events and deleted users' events cause the same error. */
export function eventNotFound(): ServiceError {
  return new ServiceError('not_found', 'Event not found', {
    suggestions: ['`svc event list` shows the events that are kept.'],
  })
}

function checkQuery({ order, from, next_cursor, since, until }: Query): void {
  const refuse = (field: string, msg: string): never => {
    throw invalid([{ loc: ['query', field], msg, type: 'value_error' }])
  }
  if (from !== undefined && order !== 'asc') refuse('from', 'requires order=asc')
  if (from !== undefined && next_cursor) refuse('from', 'cannot be combined with next_cursor, which continues a list')
  if (since !== undefined && until !== undefined && parseRangeEnd(until) < parseRangeStart(since)) {
    refuse('until', 'must not be before since')
  }
}

type EventSelection = Omit<EventQuery, 'after' | 'limit'>

/** Resolves a query's filters. Throws 404 for an unknown user or endpoint. */
async function askedFor(engine: EngineContext, query: Query, { team }: TeamCall): Promise<EventSelection> {
  const user = query.user_id === undefined ? null : await activeUser(engine, team.teamId, query.user_id)
  const { endpoint_id } = query
  if (endpoint_id !== undefined && !(await engine.store.webhooks.find(team.teamId, endpoint_id))) {
    throw new ServiceError('not_found', 'Webhook endpoint not found', {
      suggestions: ['`svc webhook list` shows the endpoints.'],
    })
  }
  return {
    teamId: team.teamId,
    types: query.type?.split(',') ?? null,
    userId: user?.userId ?? null,
    since: query.since === undefined ? null : parseRangeStart(query.since),
    until: query.until === undefined ? null : parseRangeEnd(query.until),
    state: query.state ?? null,
    endpointId: endpoint_id ?? null,
    order: query.order,
  }
}

/** Returns the filters that a cursor is bound to. The page size and the payload may change from page to page. */
function cursorBinding({
  teamId,
  types,
  userId,
  since,
  until,
  state,
  endpointId,
  order,
}: EventSelection): readonly unknown[] {
  return [teamId, types, userId, since, until, state, endpointId, order]
}

/**
 * Returns the position after a page. If the newest events come first, the last page has none. In order of arrival, there is always a
 * position, because more events can follow.
 */
function nextPosition({
  found,
  shown,
  given,
  end,
}: {
  readonly found: readonly ListedEvent[]
  readonly shown: readonly ListedEvent[]
  readonly given: EventPosition | null
  readonly end: EventPosition | null
}): EventPosition | null {
  const last = shown.at(-1)?.event ?? null
  if (found.length > shown.length || end === null) return found.length > shown.length ? last : null
  return [last, end, given].reduce<EventPosition>(
    (most, each) => (each !== null && isAfter(each, most) ? each : most),
    { arrival: 0, sequence: 0 },
  )
}

function isAfter(a: EventPosition, b: EventPosition): boolean {
  return a.arrival > b.arrival || (a.arrival === b.arrival && a.sequence > b.sequence)
}

/** Maximum total size of the bodies on a page. The page ends before the body that would exceed it, but contains at least one event. */
const MOST_PAYLOAD_CHARACTERS = 16 << 20

/** Returns events with their bodies, as objects and as JSON texts, so that each body is rendered only once. */
async function readPage(
  { providers }: EngineContext,
  found: readonly ListedEvent[],
  signal: AbortSignal | undefined,
): Promise<{ readonly data: Page['data']; readonly texts: readonly string[] }> {
  const slice = new TimeSlice()
  const data: Page['data'] = []
  const texts: string[] = []
  let characters = 0
  for (const each of found) {
    if (slice.isOver) await slice.rest(signal)
    const { body, text } = rendered(each.event, providers)
    characters += text.length
    if (characters > MOST_PAYLOAD_CHARACTERS && data.length > 0) break
    const facts = eventItem(each)
    data.push({ ...facts, payload: { ...body } })
    texts.push(`${JSON.stringify(facts).slice(0, -1)},"payload":${text}}`)
  }
  return { data, texts }
}

/** Returns an event as a list item. */
export function eventItem({ event, deliveries }: ListedEvent): Page['data'][number] {
  return { ...eventFacts(event), deliveries: { ...deliveries } }
}

function eventFacts(event: OutboxEvent) {
  return {
    event_id: event.eventId,
    event_type: event.type,
    at: formatInstant(event.at),
    sequence: event.sequence,
    user_id: event.userId,
    client_user_id: event.clientUserId,
    samples: event.data.kind === 'samples' ? event.data.batch.n : null,
  }
}

function deliveryView(delivery: EventDelivery): ReplyBody<Operations['event.get']>['deliveries'][number] {
  const { endpointId, url, state, attempts, nextAttemptAt } = delivery
  return {
    endpoint_id: endpointId,
    url,
    state,
    attempts: attempts.map(each => ({ ...each, at: formatInstant(each.at) })),
    next_attempt_at: nextAttemptAt === null ? null : formatInstant(nextAttemptAt),
  }
}
