/** Implements `svc event trigger`: causes an event by actually changing data, or writes only the event. See docs/event-triggers.md. */
import { DATA_DELETED, eventTypesAt, resourceEvent } from '../../catalogue/event-types.ts'
import { MOST_TRIGGERED } from '../../contract/events/trigger.ts'
import { didYouMean, invalid } from '../../core/errors.ts'
import { SUMMARY_KINDS } from '../../core/sample.ts'
import type { OutboxEvent } from '../../store/event.ts'
import { asNestedCall, type Handler, ok } from '../context.ts'
import { parseRangeStart } from '../readings/timeseries.ts'
import { activeUser } from '../users/users.ts'
import { type Cause, type TriggerCause, withoutCause } from './cause.ts'
import { givenValues } from './given.ts'
import { emitExample } from './only-event.ts'

interface Way {
  readonly cause: Cause
  /** Whether the data has its own time, like samples and summaries. Everything else happens now. */
  readonly isTimed: boolean
  /** Maximum number of changes per call, so that each call returns within seconds. */
  readonly most: number
}

const SEVERAL = 50
/** Types with a lower limit, because a link fetches a month of data, and a continuous query reads its whole range. */
const HEAVY: ReadonlyMap<string, number> = new Map([
  ['provider.connection.created', 5],
  ['continuous_query.result_table.changed', 10],
])

/** Maximum number of events in the response. */
const MOST_TOLD = 10_000

export const triggerEvent: Handler<'event.trigger'> = async (engine, { body }, call) => {
  const { type } = body
  const types = eventTypesAt(call.compatibilityDate)
  if (!types.includes(type)) {
    const msg = `must be one of the event types.${didYouMean(type, types)} \`svc event types\` lists them`
    throw invalid([{ loc: ['body', 'type'], msg, type: 'enum' }])
  }
  const user = await activeUser(engine, call.team.teamId, body.user_id)
  const wanted: TriggerCause = {
    engine,
    call: asNestedCall(call),
    user,
    type,
    given: givenValues(body.set),
    at: body.at ? parseRangeStart(body.at) : null,
    count: body.count,
  }
  if (body.only_event) return ok({ event_type: type, events: (await onlyEvents(wanted)).map(told) })
  const way = await findWay(type)
  if (!way) throw withoutCause(type)
  if (wanted.at !== null && !way.isTimed) {
    const msg = 'is only for data that has its own time: samples, summaries and backfills'
    throw invalid([{ loc: ['body', 'at'], msg, type: 'value_error' }])
  }
  if (wanted.count > way.most) {
    const msg = `must be at most ${way.most} for this type`
    throw invalid([{ loc: ['body', 'count'], msg, type: 'less_than_equal' }])
  }
  const before = await engine.store.events.lastOfUser(user.userId)
  await way.cause(wanted)
  const made = await engine.store.events.ofUser(user.userId, before, MOST_TOLD)
  return ok({ event_type: type, events: made.filter(each => each.arrival > 0).map(told) })
}

async function onlyEvents({ engine, call, user, type, given, at, count }: TriggerCause): Promise<OutboxEvent[]> {
  const { now, compatibilityDate } = call
  const events: OutboxEvent[] = []
  for (let i = 0; i < count; i++) {
    events.push(await emitExample(engine, { user, type, now, at, compatibilityDate, given, endpointIds: null }))
  }
  return events
}

function told({ eventId, type, sequence, userId }: OutboxEvent) {
  return { event_id: eventId, event_type: type, sequence, user_id: userId }
}

/** Returns how to cause a type of event, or undefined if nothing here can cause it. Each cause is loaded only when it is needed. */
async function findWay(type: string): Promise<Way | undefined> {
  const about = resourceEvent(type)
  if (!about) {
    const load = OTHERS.get(type)
    return load && { cause: await load(), isTimed: false, most: HEAVY.get(type) ?? SEVERAL }
  }
  const most = about.change === 'historical' || about.resource === 'workout_stream' ? SEVERAL : MOST_TRIGGERED
  return { cause: await loadCause(about), isTimed: true, most }
}

async function loadCause({ resource, change }: NonNullable<ReturnType<typeof resourceEvent>>): Promise<Cause> {
  if (change === 'historical') return (await import('./history.ts')).backfill
  if (resource === 'workout_stream') return (await import('./streams.ts')).changeStream
  if (SUMMARY_KINDS.some(kind => kind === resource)) return (await import('./summaries.ts')).changeSummary
  return (await import('./samples.ts')).changeSamples
}

const OTHERS: ReadonlyMap<string, () => Promise<Cause>> = new Map([
  ['provider.connection.created', async () => (await import('./connections.ts')).makeConnection],
  ['provider.connection.error', async () => (await import('./connections.ts')).breakConnection],
  ['provider.device.created', async () => (await import('./connections.ts')).addDevice],
  ['provider.device.updated', async () => (await import('./connections.ts')).changeDevice],
  ['labtest.order.created', async () => (await import('./orders.ts')).placeOrders],
  ['labtest.order.updated', async () => (await import('./orders.ts')).moveOrders],
  ['labtest.result.critical', async () => (await import('./orders.ts')).reportCritical],
  ['continuous_query.result_table.changed', async () => (await import('./continuous.ts')).changeResultTable],
  [DATA_DELETED, async () => (await import('./deletion.ts')).deleteData],
])
