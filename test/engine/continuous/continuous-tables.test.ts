/** For any table and any order of data, the result of a continuous query equals that of the plain query. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { QueryBatchInput } from '../../../src/contract/aggregates/aggregate.ts'
import { ownedId, type UserId } from '../../../src/core/ids.ts'
import type { SummaryRecord } from '../../../src/core/sample.ts'
import { DAY_MS, formatDate, formatInstant, HOUR_MS, MINUTE_MS } from '../../../src/core/time.ts'
import { times } from '../../kit/effort.ts'
import { type Harness, NOON, openHarness } from '../../kit/harness.ts'
import { seed } from '../../kit/seed.ts'
import { type CreateBody, newUser, result } from './continuous.ts'

const FIRST = Date.UTC(2026, 8, 1)
const GAP = 30 * MINUTE_MS

type Query = CreateBody['query']
const trunc = (table: string, unit: 'day' | 'week' | 'month' | 'hour', value = 1) => ({
  date_trunc: { unit, value },
  arg: { index: table },
})
const QUERIES: Readonly<Record<string, Query>> = {
  readiness: {
    select: [
      { group_key: '*' },
      { func: 'mean', arg: { derived_readiness: 'recovery_score' } },
      { func: 'newest', arg: { derived_readiness: 'strain_score' } },
      { func: 'newest', arg: { derived_readiness: 'chronotype' } },
    ],
    group_by: [trunc('derived_readiness', 'day')],
  },
  nights: {
    select: [
      { func: 'mean', arg: { sleep: 'efficiency' } },
      { func: 'max', arg: { value_macro: 'sleep_score' } },
      { func: 'sum', arg: { value_macro: 'awakenings' } },
      { group_key: '*' },
    ],
    group_by: [{ source: 'source_provider' }, trunc('sleep', 'hour', 5)],
    where: 'duration_second > 20000',
  },
  weeks: {
    select: [{ group_key: '*' }, { func: 'mean', arg: { sleep: 'hrv_mean_rmssd' } }],
    group_by: [trunc('sleep', 'week', 2)],
  },
  carried: {
    select: [{ group_key: '*' }, { func: 'mean', arg: { sleep: 'hrv_mean_rmssd' } }],
    group_by: [trunc('sleep', 'day')],
    align: { carry: { mode: 'carry_forward', max_age: { unit: 'day', value: 4 } } },
  },
}

/** One night or day that is written, possibly several times with other values, in any order. */
interface Piece {
  readonly kind: 'sleep' | 'activity' | 'sleep_cycle'
  readonly day: number
  readonly hours: number
  readonly value: number
  readonly provider: 'oura' | 'garmin'
}
const piece = fc.record<Piece>({
  kind: fc.constantFrom('sleep', 'sleep', 'activity', 'sleep_cycle'),
  day: fc.nat(40),
  hours: fc.integer({ min: 5, max: 10 }),
  value: fc.integer({ min: 30, max: 90 }),
  provider: fc.constantFrom('oura', 'garmin'),
})

const NIGHTS = Array.from(
  { length: 30 },
  (_, day): Piece => ({ kind: 'sleep', day, hours: 7, value: 40 + ((day * 7) % 23), provider: 'oura' }),
)

function record(userId: UserId, { kind, day, hours, value, provider }: Piece): SummaryRecord {
  const end = FIRST + day * DAY_MS + 7 * HOUR_MS
  const start = end - hours * HOUR_MS
  const common = {
    kind,
    id: ownedId(userId, kind, provider, day),
    provider,
    sourceType: 'ring',
    appId: null,
    deviceId: null,
  }
  const date = formatDate(end)
  if (kind === 'activity') {
    const document = { calendar_date: date, low: value, medium: hours, high: 1, heart_rate: { resting_bpm: value } }
    return { ...common, at: FIRST + day * DAY_MS, date, offset: 7200, document }
  }
  const seconds = hours * 3600
  const document =
    kind === 'sleep'
      ? {
          calendar_date: date,
          bedtime_start: formatInstant(start),
          bedtime_stop: formatInstant(end),
          duration: seconds,
          total: seconds - 600,
          deep: value * 60,
          efficiency: value,
          average_hrv: value,
          hr_resting: 100 - value,
        }
      : {
          session_start: formatInstant(start),
          session_end: formatInstant(end),
          stage_start_offset_second: [0, 600, 1200],
          stage_end_offset_second: [600, 1200, 1800],
          stage_type: [2, 4, value % 2 === 0 ? 2 : 4],
        }
  return { ...common, at: end, date, offset: 7200, document }
}

async function write(h: Harness, userId: UserId, pieces: readonly Piece[]): Promise<void> {
  await h.engine.context.store.data.write(userId, {
    at: h.time.ms,
    teamId: h.team.teamId,
    batches: [],
    summaries: pieces.map(each => record(userId, each)),
    streams: [],
    events: { kind: 'daily' },
    importing: null,
    connections: [],
    consumeToken: null,
  })
}

async function plain(h: Harness, user_id: UserId, query: Query): Promise<unknown> {
  // the run of a query that carries values covers twenty years, up to tomorrow
  const anchor = formatDate(h.time.ms + DAY_MS)
  const timeframe = { type: 'relative', anchor, past: { unit: 'year', value: 20 } } as const
  const body: QueryBatchInput = { timeframe, queries: [query] }
  return (await h.call('aggregate.query', { params: { user_id }, body })).results[0]?.table
}

it('equals the plain result after every write, for nights and days in any order', async () => {
  const h = await openHarness()
  h.time.ms = NOON
  for (const [slug, query] of Object.entries(QUERIES)) {
    await h.call('continuous_query.create', { body: { slug, title: slug, query } })
  }
  let users = 0
  const writes = fc.array(fc.array(piece, { minLength: 1, maxLength: 25 }), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(writes, async rounds => {
      const user_id = await newUser(h, `user-${users++}`)
      // enough nights for a baseline, so that a later one affects the following days
      await write(h, user_id, NIGHTS)
      for (const pieces of rounds) {
        await write(h, user_id, pieces)
        h.time.ms += GAP
        for (const [slug, query] of Object.entries(QUERIES)) {
          expect(await result(h, user_id, slug), `${slug}, seed ${seed}`).toEqual(await plain(h, user_id, query))
        }
      }
    }),
    { seed, numRuns: times(5) },
  )
})
