/** Serves workout and sleep streams. See docs/interface/timeseries.md#timeseries-11. */
import { resourceNamed, type TimeseriesResource } from '../../catalogue/resources.ts'
import { sourceTypeRank } from '../../catalogue/source-types.ts'
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import type { TeamId, UserId } from '../../core/ids.ts'
import { present } from '../../core/present.ts'
import type { SummaryKind } from '../../core/sample.ts'
import { STREAM_COLUMNS, type StreamColumn, type StreamPoints } from '../../core/stream.ts'
import { DAY_MS, type EpochMs, formatDate, formatInstant, readInstant, SECOND_MS } from '../../core/time.ts'
import type { SeriesSlice, StoredSummary } from '../../store/sample.ts'
import { type EngineContext, type Handler, ok } from '../context.ts'
import { byStart, groupSamples } from './sample-groups.ts'
import { wholePoints } from './whole-numbers.ts'

type WorkoutStream = ReplyBody<Operations['timeseries.workout_stream']>
type Sample = ReplyBody<Operations['timeseries.sleep_stream']>['hrv'][number]

export const workoutStream: Handler<'timeseries.workout_stream'> = async (engine, { params }, call) => {
  const found = await ownedSummary(engine, call.team.teamId, 'workouts', params.workout_id)
  if (!found) throw new ServiceError('not_found', 'Workout not found')
  const stored = await engine.store.streams.find(found.userId, params.workout_id)
  return ok(streamView(stored ?? (await heartOfWorkout(engine, found.userId, found.summary))))
}

export const sleepStream: Handler<'timeseries.sleep_stream'> = async (engine, { params }, call) => {
  const found = await ownedSummary(engine, call.team.teamId, 'sleep', params.sleep_id)
  if (!found) throw new ServiceError('not_found', 'Sleep not found')
  const { userId, summary } = found
  const span = summarySpan(summary, 'bedtime_start', 'bedtime_stop')
  return ok({
    hrv: await samplesWithin(engine, userId, summary, 'hrv', span),
    heartrate: await samplesWithin(engine, userId, summary, 'heartrate', span),
    hypnogram: await readHypnogram(engine, userId, summary, span),
    respiratory_rate: await samplesWithin(engine, userId, summary, 'respiratory_rate', span),
  })
}

/** Returns the summary for an ID given without its user, or null for an unknown ID or a summary of another team. */
async function ownedSummary(
  engine: EngineContext,
  teamId: TeamId,
  kind: SummaryKind,
  id: string,
): Promise<{ readonly userId: UserId; readonly summary: StoredSummary } | null> {
  for (const { userId } of await engine.store.users.ofOwnedId(teamId, id)) {
    const summary = await engine.store.summaries.find(userId, kind, id)
    if (summary) return { userId, summary }
  }
  return null
}

function streamView(points: StreamPoints): WorkoutStream {
  const column = (name: StreamColumn): (number | null)[] =>
    Array.from(points.columns.get(name) ?? [], value => (Number.isNaN(value) ? null : value))
  return {
    time: Array.from(points.time, ms => Math.floor(ms / SECOND_MS)),
    ...(Object.fromEntries(STREAM_COLUMNS.map(name => [name, column(name)])) as Record<
      StreamColumn,
      (number | null)[]
    >),
  }
}

/** Returns the stream for a workout that has no stream: the heart rate that the same provider measured during the workout. */
async function heartOfWorkout(engine: EngineContext, userId: UserId, workout: StoredSummary): Promise<StreamPoints> {
  const span = summarySpan(workout, 'time_start', 'time_end')
  const all = (await slicesWithin(engine, userId, workout, 'heartrate', span)).flatMap(({ columns }) =>
    Array.from(columns.start, (at, row) => ({ at, bpm: present(columns.value[row], 'a value') })),
  )
  all.sort((a, b) => a.at - b.at)
  // of several apps or devices, the first one counts
  const beats = all.filter(({ at }, i) => at !== all[i - 1]?.at)
  return wholePoints({
    n: beats.length,
    time: Float64Array.from(beats, each => each.at),
    columns: new Map(beats.length === 0 ? [] : [['heartrate', Float64Array.from(beats, each => each.bpm)]]),
  })
}

interface Span {
  readonly from: EpochMs
  /** Exclusive, except that an empty span includes its only instant. */
  readonly until: EpochMs
}

/** Returns the span between two date-times in a summary's document. A missing one defaults to the summary's time. */
function summarySpan(summary: StoredSummary, start: string, end: string): Span {
  const from = instantIn(summary, start)
  return { from, until: Math.max(from + 1, instantIn(summary, end)) }
}

function instantIn(summary: StoredSummary, field: string): EpochMs {
  return readInstant(summary.document[field]) ?? summary.at
}

/**
 * Returns the samples in a span from the summary's provider: from the same source type if there are any, otherwise from the provider's best
 * other source type (for example, when a machine records the workout and a chest strap the heart rate).
 */
async function slicesWithin(
  engine: EngineContext,
  userId: UserId,
  { provider, sourceType }: StoredSummary,
  resource: string,
  { from, until }: Span,
): Promise<readonly SeriesSlice[]> {
  const slices: SeriesSlice[] = []
  const query = { resource, provider, from, to: until - 1 }
  for await (const slice of engine.store.samples.scan(userId, query)) if (slice.columns.n > 0) slices.push(slice)
  const types = [...new Set(slices.map(each => each.series.sourceType))]
  const best = types.includes(sourceType)
    ? sourceType
    : types.toSorted((a, b) => sourceTypeRank(a) - sourceTypeRank(b) || (a < b ? -1 : 1))[0]
  return slices.filter(each => each.series.sourceType === best)
}

async function samplesWithin(
  engine: EngineContext,
  userId: UserId,
  sleep: StoredSummary,
  name: string,
  span: Span,
): Promise<Sample[]> {
  const resource = resourceNamed(name) as TimeseriesResource
  const groups = Object.values(groupSamples(resource, await slicesWithin(engine, userId, sleep, name, span))).flat()
  const all = groups.flatMap(group => group.data).sort(byStart)
  return all.filter(({ start }, i) => start !== all[i - 1]?.start)
}

/** Returns the stages from the night's sleep cycle, or from the hypnogram timeseries for a night without a sleep cycle. */
async function readHypnogram(
  engine: EngineContext,
  userId: UserId,
  sleep: StoredSummary,
  span: Span,
): Promise<Sample[]> {
  const cycles = await engine.store.summaries.list(userId, {
    kind: 'sleep_cycle',
    provider: sleep.provider,
    fromDate: formatDate(span.from - 2 * DAY_MS),
    toDate: formatDate(span.until + 2 * DAY_MS),
  })
  const cycle = cycles.find(each => each.document['sleep_id'] === sleep.id)
  if (!cycle) return samplesWithin(engine, userId, sleep, 'hypnogram', span)
  const start = instantIn(cycle, 'session_start')
  const [starts, ends, stages] = ['stage_start_offset_second', 'stage_end_offset_second', 'stage_type'].map(field => {
    const list = cycle.document[field]
    // the lists of a sleep cycle were checked when it was stored
    return Array.isArray(list) ? (list as number[]) : []
  }) as [number[], number[], number[]]
  return stages.map((value, i) => {
    const from = formatInstant(start + (starts[i] ?? 0) * SECOND_MS)
    return {
      timestamp: from,
      start: from,
      end: formatInstant(start + (ends[i] ?? starts[i] ?? 0) * SECOND_MS),
      timezone_offset: sleep.offset,
      type: null,
      unit: 'stage',
      value,
    }
  })
}
