/** Causes workout stream events: a workout with its stream, or the newest stream with a changed value. */
import { resourceEvent } from '../../catalogue/event-types.ts'
import { streamLine } from '../../connectors/files/items/lines.ts'
import { member } from '../../connectors/shared/json-fields.ts'
import { present } from '../../core/present.ts'
import { STREAM_COLUMNS } from '../../core/stream.ts'
import { readInstant, SECOND_MS } from '../../core/time.ts'
import { toStreamRecord } from '../users/export.ts'
import { type Cause, cannot, type TriggerCause } from './cause.ts'
import { givenText, refuseGiven } from './given.ts'
import { parsePushedItem, push, type TriggerItem } from './push.ts'
import { sourceFor } from './source.ts'
import { newItem } from './summaries.ts'

const STEP_MS = 5 * SECOND_MS
const POINTS = 60
const USUAL = { provider: 'strava', sourceType: 'watch' } as const

export const changeStream: Cause = async wanted => {
  refuseGiven(wanted.given, ['data.provider_id', 'data.source.provider', 'data.source.type'])
  const isUpdate = resourceEvent(wanted.type)?.change === 'updated'
  for (let i = 0; i < wanted.count; i++) {
    let stream = isUpdate ? await newestStream(wanted) : null
    if (stream === null) await addWorkout(wanted)
    if (!isUpdate) continue
    stream ??= await newestStream(wanted)
    if (stream === null) throw cannot("The stream is outside the user's ingestion bounds.")
    await push(wanted, changed(stream))
  }
}

/** Adds a workout together with its stream. */
async function addWorkout(wanted: TriggerCause): Promise<void> {
  const source = await sourceFor(wanted, 'workout_stream', USUAL)
  // the given values are for the stream, so they are not used for the summary
  const workout = await newItem({ ...wanted, given: [] }, 'workouts', source)
  const { id, provider, source_type, at, timezone_offset, document } = workout
  const start = present(readInstant(at), 'the time of a workout')
  const points = (value: (i: number) => number): number[] => Array.from({ length: POINTS }, (_, i) => value(i))
  await push(wanted, workout, {
    stream: id,
    provider,
    source_type,
    at,
    timezone_offset,
    provider_id: givenText(wanted.given, 'provider_id') ?? member(document, 'provider_id'),
    sport: member(document, 'sport'),
    time_ms: points(i => start + i * STEP_MS),
    heartrate: points(i => 96 + Math.min(i, 40)),
    distance: points(i => i * 14),
    velocity_smooth: points(() => 2.8),
  })
}

/** Returns the newest stream in push format, or null if the user has none. */
async function newestStream({ engine, user }: TriggerCause): Promise<TriggerItem | null> {
  const { userId } = user
  let newest: { readonly at: number; readonly line: string } | null = null
  for (const workoutId of await engine.store.streams.ids(userId)) {
    const stored = await engine.store.streams.find(userId, workoutId)
    if (stored === null || stored.n === 0) continue
    const stream = toStreamRecord(stored, await engine.store.summaries.find(userId, 'workouts', workoutId))
    if (newest === null || stream.at > newest.at) newest = { at: stream.at, line: streamLine(stream) }
  }
  return newest && parsePushedItem(newest.line)
}

/** Returns the stream with the first value of its first column increased by one. */
function changed(stream: TriggerItem): TriggerItem {
  const name = STREAM_COLUMNS.find(each => Array.isArray(stream[each])) ?? 'heartrate'
  const [first, ...rest] = (stream[name] ?? []) as (number | null)[]
  return { ...stream, [name]: [(first ?? 90) + 1, ...rest] }
}
