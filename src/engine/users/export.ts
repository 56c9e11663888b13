/** Exports everything about one user as lines of JSON, which are read and sent piece by piece. See docs/samples.md. */
import { RESOURCES } from '../../catalogue/resources.ts'
import { sampleLines, streamLine, summaryLine } from '../../connectors/files/items/lines.ts'
import {
  aboutLine,
  connectionLine,
  exportEndLine,
  exportHeadLine,
} from '../../connectors/files/items/svc-export-lines.ts'
import { USER_EXPORT_MEDIA_TYPE } from '../../contract/users/user-export.ts'
import { ServiceError } from '../../core/errors.ts'
import { present } from '../../core/present.ts'
import { SUMMARY_KINDS, type SummaryKind } from '../../core/sample.ts'
import type { StreamRecord } from '../../core/stream.ts'
import { type EpochMs, formatInstant, type IsoDate, parseDate } from '../../core/time.ts'
import { TimeSlice } from '../../core/time-slice.ts'
import type { Store } from '../../store/port.ts'
import type { StoredStream, StoredSummary } from '../../store/sample.ts'
import type { SessionMatch } from '../../store/session-match.ts'
import type { UserRecord } from '../../store/user.ts'
import type { CallContext, EngineContext, Handler } from '../context.ts'
import { exportedOrders } from '../orders/export.ts'
import { sourceOrderView } from '../source-orders.ts'
import { deviceView } from './devices.ts'
import { activeUser, userView } from './users.ts'

/** Approximate length of the pieces in which lines are sent. */
const PIECE_CHARACTERS = 256 * 1024
/** First and last year for which a date can be printed. No sample is outside this range. */
const [EARLIEST, LATEST] = [parseDate('0001-01-01') as EpochMs, Date.UTC(10_000, 0, 1) - 1]

export const exportUser: Handler<'user.export'> = async (engine, { params }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  return {
    kind: 'bytes',
    status: 200,
    headers: {},
    mediaType: USER_EXPORT_MEDIA_TYPE,
    bytes: inPieces(exportLines(engine, user, call), call.signal),
  }
}

async function* exportLines(engine: EngineContext, user: UserRecord, call: CallContext): AsyncGenerator<string> {
  const { store } = engine
  const connections = (await store.connections.ofUsers([user.userId])).get(user.userId) ?? []
  yield exportHeadLine(formatInstant(call.now), { ...userView(engine, user, connections) })
  for (const each of connections) {
    yield connectionLine(each.provider, {
      status: each.status,
      created_on: formatInstant(each.createdOn),
      external_user_id: each.externalUserId,
      region: each.region,
      error: each.error && { ...each.error, at: formatInstant(each.error.at) },
      scopes: each.scopes,
      is_demo: each.isDemo,
    })
  }
  for (const device of await store.devices.list(user.userId)) {
    yield aboutLine('device', deviceView(user.userId, device))
  }
  const info = await store.profiles.info(user.userId)
  if (info !== null) yield aboutLine('user_info', info)
  for (const insurance of await store.profiles.insurances(user.userId)) yield aboutLine('insurance', insurance)
  for await (const order of exportedOrders(engine, user, call.now)) yield aboutLine('order', order)
  for (const order of (await store.sourceOrders.ofUser(user.teamId, user.userId)).user)
    yield aboutLine('source_order', sourceOrderView(order))
  for (const match of await store.sessionMatches.list(user.userId)) yield aboutLine('correction', exportedMatch(match))
  const samples: Record<string, number> = {}
  for (const { name } of RESOURCES) {
    const query = { resource: name, provider: null, from: EARLIEST, to: LATEST }
    for await (const { series, columns } of store.samples.scan(user.userId, query)) {
      samples[name] = (samples[name] ?? 0) + columns.n
      yield* sampleLines(series, columns)
    }
  }
  const summaries: Record<string, number> = {}
  for (const kind of SUMMARY_KINDS) {
    for await (const summary of readSummaries(store, user, kind, call.now)) {
      summaries[kind] = (summaries[kind] ?? 0) + 1
      yield summaryLine(summary)
    }
  }
  let streams = 0
  for (const workoutId of await store.streams.ids(user.userId)) {
    const stream = await store.streams.find(user.userId, workoutId)
    if (stream === null || stream.n === 0) continue
    streams++
    yield streamLine(toStreamRecord(stream, await store.summaries.find(user.userId, 'workouts', workoutId)))
  }
  yield exportEndLine({ samples, summaries, streams })
}

function exportedMatch({ kind, firstId, secondId, isSame, declaredAt }: SessionMatch) {
  const verdict = isSame ? 'same' : 'different'
  return { resource: kind, session_ids: [firstId, secondId], verdict, declared_at: formatInstant(declaredAt) }
}

/** Yields the summaries year by year, so that memory use does not increase with the number of years. */
async function* readSummaries(
  store: Store,
  user: UserRecord,
  kind: SummaryKind,
  now: EpochMs,
): AsyncGenerator<StoredSummary> {
  for (const [fromDate, toDate] of yearsAround(now)) {
    yield* await store.summaries.list(user.userId, { kind, provider: null, fromDate, toDate })
  }
}

/** Returns ranges that cover all dates. The time since wearables have existed is split into years. */
function yearsAround(now: EpochMs): [IsoDate, IsoDate][] {
  const [first, last] = [2000, new Date(now).getUTCFullYear()]
  const years = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => String(first + i))
  return [
    ['0001-01-01', `${first - 1}-12-31`],
    ...years.map((year): [IsoDate, IsoDate] => [`${year}-01-01`, `${year}-12-31`]),
    [`${Math.max(first, last + 1)}-01-01`, '9999-12-31'],
  ]
}

/**
 * Returns a stream for the export. Fields that are not stored with its points come from the workout, if there is one. An application can
 * push a stream without a workout.
 */
export function toStreamRecord(stream: StoredStream, workout: StoredSummary | null): StreamRecord {
  const { provider_id: providerId, sport } = workout?.document ?? {}
  return {
    ...stream,
    at: workout?.at ?? present(stream.time[0], 'the first time of a stream'),
    offset: workout?.offset ?? null,
    providerId: typeof providerId === 'string' ? providerId : stream.workoutId,
    // a workout's sport was checked when it was stored
    sport: (sport as StreamRecord['sport'] | undefined) ?? null,
  }
}

async function* inPieces(
  lines: AsyncIterable<string>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void> {
  const slice = new TimeSlice()
  let piece = ''
  for await (const line of lines) {
    // neither the store nor a fast reader would let other work run
    if (slice.isOver) await slice.rest()
    if (signal?.aborted) throw new ServiceError('cancelled', 'Cancelled.')
    piece += line
    if (piece.length < PIECE_CHARACTERS) continue
    yield Buffer.from(piece)
    piece = ''
  }
  yield Buffer.from(piece)
}
