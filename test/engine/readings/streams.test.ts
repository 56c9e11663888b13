/** Streams of workouts and nights, found by the summary's ID. */
import { describe, expect, it } from 'vitest'
import { sleepStream, workoutStream } from '../../../src/contract/readings/stream.ts'
import { ownedId, type TeamId, type UserId } from '../../../src/core/ids.ts'
import { SampleBatchBuilder, type SummaryRecord } from '../../../src/core/sample.ts'
import { STREAM_COLUMNS, type StreamRecord } from '../../../src/core/stream.ts'
import { formatInstant, MINUTE_MS, SECOND_MS } from '../../../src/core/time.ts'
import { runOperation } from '../../../src/engine/engine.ts'
import type { DataWrite } from '../../../src/store/data-write.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'

const START = Date.UTC(2026, 10, 10, 17)

async function linked(h: Harness, provider: string): Promise<UserId> {
  const { user_id } = await h.call('user.create', { body: { client_user_id: provider } })
  const { link_token } = await h.call('link.token', { body: { user_id } })
  const input = { params: { provider }, body: { username: 'u', password: 'p' } }
  await h.call('link.password', input, { linkToken: link_token })
  return user_id
}

/** The fields that the tests read; workouts, sleeps and cycles each have some of them. */
type Summary = Readonly<
  Record<'id' | 'sleep_id' | 'time_start' | 'time_end' | 'bedtime_start' | 'bedtime_stop' | 'stage_type', string>
>

async function readSummaries(h: Harness, user_id: UserId, resource: 'workouts' | 'sleep' | 'sleep_cycle') {
  const response = await h.call('summary.get', { params: { user_id, resource }, query: { start_date: '2026-10-01' } })
  return response[resource] as unknown as Summary[]
}

async function write(h: Harness, userId: UserId, data: Partial<DataWrite>): Promise<void> {
  await h.engine.context.store.data.write(userId, {
    at: h.time.ms,
    teamId: h.team.teamId,
    batches: [],
    streams: [],
    summaries: [],
    events: { kind: 'daily' },
    importing: null,
    connections: [],
    consumeToken: null,
    ...data,
  })
}

function buildWorkout(userId: string, sourceType = 'watch'): SummaryRecord {
  return {
    kind: 'workouts',
    id: ownedId(userId, 'workouts', START),
    provider: 'garmin',
    sourceType,
    appId: null,
    deviceId: null,
    at: START,
    date: '2026-11-10',
    offset: null,
    document: { time_start: formatInstant(START), time_end: formatInstant(START + 10 * MINUTE_MS) },
  }
}

function heartrate(sourceType: string, bpm: readonly number[]) {
  const builder = new SampleBatchBuilder({ resource: 'heartrate', type: null, provider: 'garmin', sourceType })
  for (const [i, value] of bpm.entries()) builder.push({ start: START + (i - 1) * 5 * MINUTE_MS, value })
  return builder.take()
}

describe('the stream of a workout', () => {
  it('arrives when a provider with streams is linked, as parallel lists over its time', async () => {
    const h = await openHarness()
    const user_id = await linked(h, 'zwift')
    const workouts = await readSummaries(h, user_id, 'workouts')
    expect(workouts.length).toBeGreaterThan(3)
    for (const workout of workouts) {
      const stream = await h.call('timeseries.workout_stream', { params: { workout_id: workout['id'] } })
      expect(workoutStream().strict().parse(stream)).toEqual(stream)
      expect((stream.time[0] as number) * SECOND_MS).toBe(Date.parse(workout['time_start']))
      expect((stream.time.at(-1) as number) * SECOND_MS).toBe(Date.parse(workout['time_end']))
      for (const name of ['heartrate', 'distance', 'lat', 'lng', 'altitude'] as const) {
        expect(stream[name].length, name).toBe(stream.time.length)
      }
      expect(stream.temperature).toEqual([])
    }
  })

  it('keeps gaps as null and columns separate', async () => {
    const h = await openHarness()
    const user_id = await linked(h, 'kardia')
    const summary = buildWorkout(user_id)
    const stream: StreamRecord = {
      workoutId: summary.id,
      provider: 'garmin',
      sourceType: 'watch',
      at: START,
      offset: null,
      providerId: 'x',
      sport: null,
      n: 3,
      time: Float64Array.of(START, START + 1500, START + 4000),
      columns: new Map([
        ['power', Float64Array.of(Number.NaN, 210, 215)],
        ['heartrate', Float64Array.of(100, 101.5, Number.NaN)],
      ]),
    }
    await write(h, user_id, { summaries: [summary], streams: [stream], batches: [heartrate('watch', [90, 100, 110])] })
    const second = START / SECOND_MS
    expect(await h.call('timeseries.workout_stream', { params: { workout_id: summary.id.toUpperCase() } })).toEqual({
      ...Object.fromEntries(STREAM_COLUMNS.map(name => [name, []])),
      time: [second, second + 1, second + 4],
      power: [null, 210, 215],
      heartrate: [100, 102, null],
    })
  })

  it('consists of the heart rate during the workout if the provider gave no stream', async () => {
    const h = await openHarness()
    const user_id = await linked(h, 'kardia')
    const summary = buildWorkout(user_id)
    await write(h, user_id, { summaries: [summary], batches: [heartrate('watch', [60, 100, 110, 120, 70])] })
    const read = () => h.call('timeseries.workout_stream', { params: { workout_id: summary.id } })
    expect(await read()).toMatchObject({
      time: [START / 1000, START / 1000 + 300],
      heartrate: [100, 110],
      lat: [],
      power: [],
    })
    // the chest strap belongs to the workout that the machine reported; a phone with the same data is left out
    await write(h, user_id, {
      summaries: [{ ...summary, sourceType: 'exercise_machine' }],
      batches: [heartrate('phone', [1, 2, 3, 4, 5]), heartrate('watch', [60, 100, 111, 120, 70])],
    })
    expect((await read()).heartrate).toEqual([100, 111])
  })

  it('has empty lists if there is no data for its time', async () => {
    const h = await openHarness()
    const user_id = await linked(h, 'kardia')
    const summary = buildWorkout(user_id)
    await write(h, user_id, { summaries: [summary] })
    const stream = await h.call('timeseries.workout_stream', { params: { workout_id: summary.id } })
    expect(Object.keys(stream)).toEqual(['time', ...STREAM_COLUMNS])
    expect(Object.values(stream).flat()).toEqual([])
  })
})

describe('the stream of a night', () => {
  it('has the samples between going to bed and getting up, and its sleep cycle’s stages', async () => {
    const h = await openHarness()
    const user_id = await linked(h, 'whoop')
    const [night] = (await readSummaries(h, user_id, 'sleep')) as [Summary]
    const cycle = (await readSummaries(h, user_id, 'sleep_cycle')).find(each => each['sleep_id'] === night['id'])
    const stream = await h.call('timeseries.sleep_stream', { params: { sleep_id: night['id'] } })
    expect(sleepStream().parse(stream)).toEqual(stream)
    const [from, to] = [Date.parse(night['bedtime_start']), Date.parse(night['bedtime_stop'])]
    for (const name of ['hrv', 'heartrate', 'respiratory_rate'] as const) {
      const starts = stream[name].map(each => Date.parse(each['start'] as string))
      expect(starts.length, name).toBeGreaterThan(20)
      expect(starts).toEqual([...starts].sort((a, b) => a - b))
      expect(Math.min(...starts)).toBeGreaterThanOrEqual(from)
      expect(Math.max(...starts)).toBeLessThan(to)
    }
    expect(stream.hypnogram.map(each => each['value'])).toEqual(cycle?.['stage_type'])
    expect(stream.hypnogram[0]).toMatchObject({ start: night['bedtime_start'], unit: 'stage', type: null })
    expect(stream.hypnogram.at(-1)).toMatchObject({ end: night['bedtime_stop'] })
  })

  it('comes only from its own provider', async () => {
    const h = await openHarness()
    const user_id = await linked(h, 'whoop')
    const [night] = (await readSummaries(h, user_id, 'sleep')) as [Summary]
    const read = () => h.call('timeseries.sleep_stream', { params: { sleep_id: night['id'] } })
    const before = await read()
    const builder = new SampleBatchBuilder({
      resource: 'heartrate',
      type: null,
      provider: 'garmin',
      sourceType: 'watch',
    })
    builder.push({ start: Date.parse(night['bedtime_start']) + 60_000, value: 200 })
    await write(h, user_id, { batches: [builder.take()] })
    expect(await read()).toEqual(before)
  })
})

describe('an ID in the path', () => {
  it('that is unknown, or of another kind, another team or a deleted user, gets the same 404', async () => {
    const h = await openHarness()
    const user_id = await linked(h, 'whoop')
    const [workout] = (await readSummaries(h, user_id, 'workouts')) as [Summary]
    const [night] = (await readSummaries(h, user_id, 'sleep')) as [Summary]
    const workoutRefusal = async (workout_id: string) => {
      const { status, body } = await h.refusal('timeseries.workout_stream', { params: { workout_id } })
      return [status, body]
    }
    const sleepRefusal = async (sleep_id: string) => {
      const { status, body } = await h.refusal('timeseries.sleep_stream', { params: { sleep_id } })
      return [status, body]
    }
    const noWorkout = [404, { detail: 'Workout not found' }]
    const noSleep = [404, { detail: 'Sleep not found' }]
    expect(await workoutRefusal('00000000-0000-4000-8000-000000000000')).toEqual(noWorkout)
    expect(await workoutRefusal(night['id'])).toEqual(noWorkout)
    expect(await sleepRefusal(workout['id'])).toEqual(noSleep)
    expect(await sleepRefusal(ownedId(user_id, 'nothing'))).toEqual(noSleep)
    const stranger = { ...h.team, teamId: '00000000-0000-4000-8000-000000000001' as TeamId }
    const byStranger = runOperation(h.engine.context, 'timeseries.workout_stream', {
      input: { params: { workout_id: workout['id'] }, query: {}, body: undefined },
      credentials: { kind: 'team', team: stranger, linkToken: null },
      accept: 'application/json',
    })
    await expect(byStranger).rejects.toMatchObject({ status: 404, body: noWorkout[1] })
    await h.call('user.delete', { params: { user_id } })
    expect(await workoutRefusal(workout['id'])).toEqual(noWorkout)
    expect(await sleepRefusal(night['id'])).toEqual(noSleep)
    expect((await h.refusal('timeseries.workout_stream', { params: { workout_id: 'x' } })).status).toBe(422)
  })
})
