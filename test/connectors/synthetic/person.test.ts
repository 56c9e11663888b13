/** The history of a synthetic person: the same everywhere, plausible, complete up to now and never beyond. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Provider, SHIPPED_REGISTRY } from '../../../src/catalogue/providers.ts'
import {
  type HistoryRequest,
  type SyntheticHistory,
  syntheticHistory,
} from '../../../src/connectors/synthetic/person.ts'
import { NO_OFFSET, type SampleBatch, type SummaryRecord } from '../../../src/core/sample.ts'
import { DAY_MS, formatDate, HOUR_MS, MINUTE_MS } from '../../../src/core/time.ts'
import { toLocal } from '../../../src/core/zones.ts'
import { readDocument } from '../read-document.ts'

const BERLIN = 'Europe/Berlin'
const NOW = Date.UTC(2026, 10, 20, 15, 7, 12)
const USER = '0b8f0f9e-1111-4222-8333-444455556666'
const GOLDEN_ADDED = [
  '302c73e5025a02b1',
  'd4d0f62ca62f79c4',
  '81a6b90192092cd3',
  '35f331adc4c94c9e',
  'ccd4d65e7b67cf23',
]

interface Asked extends Partial<Omit<HistoryRequest, 'provider'>> {
  readonly provider?: string
}

function live({ provider = 'whoop', ...asked }: Asked = {}): SyntheticHistory {
  const at = SHIPPED_REGISTRY.find(provider) as Provider
  return syntheticHistory({ seed: 'seed', userId: USER, provider: at, timeZone: BERLIN, now: NOW, ...asked })
}

function findBatch(history: SyntheticHistory, resource: string): SampleBatch {
  const batch = history.batches.find(each => each.series.resource === resource)
  if (!batch) throw new Error(`no ${resource}`)
  return batch
}

function listDocuments(
  history: SyntheticHistory,
  kind: string,
): { record: SummaryRecord; doc: Record<string, never> }[] {
  return history.summaries
    .filter(each => each.kind === kind)
    .map(record => ({ record, doc: record.document as Record<string, never> }))
}

/** Returns the values by start of the samples in [from, to). */
function within(batch: SampleBatch, from: number, to: number): Map<number, number> {
  const found = new Map<number, number>()
  for (let i = 0; i < batch.n; i++) {
    const start = batch.start[i] as number
    if (start >= from && start < to) found.set(start, batch.value[i] as number)
  }
  return found
}

const plain = (history: SyntheticHistory) => ({
  from: history.from,
  summaries: history.summaries,
  batches: history.batches.map(each => ({
    ...each,
    start: [...each.start],
    end: each.end && [...each.end],
    value: [...each.value],
    second: each.second && [...each.second],
    offset: each.offset && [...each.offset],
    text: [...each.text].map(([name, column]) => [name, column.values, [...column.codes]]),
  })),
})

const plainStreams = (history: SyntheticHistory) =>
  history.streams.map(each => ({
    ...each,
    time: [...each.time],
    columns: [...each.columns].map(([k, v]) => [k, [...v]]),
  }))

/** The digest is the same for null and an absent field, and for any order of fields, because they are equivalent. */
const hash = (value: unknown) => createHash('sha256').update(JSON.stringify(value, ordered)).digest('hex').slice(0, 16)

function ordered(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const stated = Object.entries(value).filter(([, each]) => each !== null && each !== undefined)
  return Object.fromEntries(stated.sort(([a], [b]) => (a < b ? -1 : 1)))
}

describe('determinism', () => {
  it('gives the same history for the same request, and a different one for another seed, user or provider', () => {
    const text = (request: Asked = {}) => JSON.stringify(plain(live({ days: 3, ...request })))
    const first = text()
    expect(text()).toBe(first)
    expect(text({ seed: 'other' })).not.toBe(first)
    expect(text({ userId: `1${USER.slice(1)}` })).not.toBe(first)
    expect(text({ provider: 'whoop_v2' })).not.toBe(first)
  })

  it('gives exactly this history on every platform and Node version', () => {
    // additions of later versions are separate, because they must not change existing data
    const added = ['profile', 'menstrual_cycle']
    const golden = (slug: string, timeZone: string | null) => {
      const { from, summaries, batches } = plain(live({ provider: slug, timeZone, days: 3 }))
      return hash({ from, summaries: summaries.filter(each => !added.includes(each.kind)), batches })
    }
    expect([
      golden('whoop', BERLIN),
      golden('tandem_source', null),
      golden('my_fitness_pal', 'Asia/Kathmandu'),
    ]).toEqual(['a62fe2891b67e9e5', '96fe8c1c9bb69837', 'd8d595eb4fc221e0'])
  })

  it('gives exactly these profiles, cycles, streams and extras', () => {
    const history = live({ provider: 'apple_health_kit' })
    const kinds = ['profile', 'menstrual_cycle']
    const extras = ['water', 'caffeine', 'mindfulness_minutes', 'vo2_max']
    expect([
      hash(history.summaries.filter(each => kinds.includes(each.kind))),
      hash(plain(history).batches.filter(each => extras.includes(each.series.resource))),
      ...['zwift', 'peloton', 'hammerhead'].map(provider => hash(plainStreams(live({ provider })))),
    ]).toEqual(GOLDEN_ADDED)
  })

  it('gives the same data in a later call for the days that both calls cover', () => {
    const early = live()
    const late = live({ now: NOW + 3 * DAY_MS })
    // The current day of the earlier call starts at 23:00 UTC on the previous day.
    const [from, to] = [late.from, Date.UTC(2026, 10, 19, 23)]
    for (const batch of early.batches) {
      expect(within(findBatch(late, batch.series.resource), from, to)).toEqual(within(batch, from, to))
    }
    const days = ['2026-10-25', '2026-11-19']
    const covered = (history: SyntheticHistory) =>
      history.summaries.filter(each => each.date >= (days[0] as string) && each.date <= (days[1] as string))
    // an open cycle grows, as the current day does
    const isOver = (each: SummaryRecord) => each.kind !== 'menstrual_cycle'
    expect(covered(late).filter(isOver)).toEqual(covered(early).filter(isOver))
  })
})

describe.each(SHIPPED_REGISTRY.all.map(each => [each.slug, each] as const))('%s', (_slug, provider) => {
  const history = live({ provider: provider.slug, days: 12 })

  it('supplies every resource it claims, including heart rate, steps, sleep and activity for password providers', () => {
    const names: Record<string, string> = { body_weight: 'weight', body_fat: 'fat' }
    const supplied = new Set<string>([
      ...history.batches.map(each => names[each.series.resource] ?? each.series.resource),
      ...history.summaries.map(each => each.kind),
      ...(history.streams.length > 0 ? ['workout_stream'] : []),
    ])
    expect([...supplied].sort()).toEqual([...provider.supportedResources].sort())
    if (provider.authType !== 'password') return
    for (const name of ['heartrate', 'steps', 'sleep', 'activity']) expect(supplied).toContain(name)
  })

  it('gives ascending samples between its start and now, from devices that the provider supports', () => {
    for (const batch of history.batches) {
      expect(provider.sourceTypes).toContain(batch.series.sourceType)
      expect(batch.series.provider).toBe(provider.slug)
      let before = history.from - 1
      for (let i = 0; i < batch.n; i++) {
        const start = batch.start[i] as number
        const fine =
          start > before &&
          (batch.end?.[i] ?? start) >= start &&
          (batch.end?.[i] ?? start) <= NOW &&
          Number.isFinite(batch.value[i])
        if (!fine) throw new Error(`${batch.series.resource} ${i}`)
        before = start
      }
    }
    for (const each of history.summaries) expect(each.at, each.kind).toBeLessThanOrEqual(NOW)
    expect(new Set(history.summaries.map(each => each.id)).size).toBe(history.summaries.length)
  })
})

describe('a plausible day', () => {
  const history = live()
  const days = Array.from({ length: 31 }, (_, i) => formatDate(Date.UTC(2026, 9, 21) + i * DAY_MS))

  it('has a heart rate every five minutes around the clock up to now', () => {
    const heart = findBatch(history, 'heartrate')
    expect(heart.start[0]).toBe(history.from)
    const steps = new Set(heart.start.subarray(1).map((start, i) => start - (heart.start[i] as number)))
    expect([...steps]).toEqual([5 * MINUTE_MS])
    expect(NOW - (heart.start[heart.n - 1] as number)).toBeLessThan(5 * MINUTE_MS)
    expect(Math.min(...heart.value)).toBeGreaterThanOrEqual(40)
    expect(Math.max(...heart.value)).toBeLessThanOrEqual(196)
  })

  it('has one sleep each night in the time zone, and a sleep cycle that fills it', () => {
    const sleeps = listDocuments(history, 'sleep')
    const cycles = listDocuments(history, 'sleep_cycle')
    expect(sleeps.map(each => each.record.date)).toEqual(days)
    for (const [i, { record, doc }] of sleeps.entries()) {
      const start = Date.parse(doc['bedtime_start'] as never)
      const end = Date.parse(doc['bedtime_stop'] as never)
      const midnight = Date.parse(`${record.date}T00:00:00Z`)
      expect(toLocal(BERLIN, start) - midnight).toBeGreaterThanOrEqual(-3 * HOUR_MS)
      expect(toLocal(BERLIN, start) - midnight).toBeLessThanOrEqual(2 * HOUR_MS)
      expect(toLocal(BERLIN, end) - midnight).toBeGreaterThanOrEqual(5 * HOUR_MS)
      expect(toLocal(BERLIN, end) - midnight).toBeLessThanOrEqual(10.5 * HOUR_MS)
      expect(record.at).toBe(end)
      const { duration, total, awake, light, rem, deep, score, efficiency } = doc as Record<string, number>
      expect(duration).toBe((end - start) / 1000)
      expect((light as number) + (rem as number) + (deep as number)).toBe(total)
      expect((total as number) + (awake as number)).toBe(duration)
      expect(score).toBeGreaterThanOrEqual(1)
      expect(score).toBeLessThanOrEqual(100)
      expect(efficiency).toBeCloseTo(((total as number) / (duration as number)) * 100, 0)

      const cycle = (cycles[i] as { doc: Record<string, never> }).doc as Record<string, unknown>
      const [starts, ends] = [cycle['stage_start_offset_second'], cycle['stage_end_offset_second']] as [
        number[],
        number[],
      ]
      expect(cycle['sleep_id']).toBe(record.id)
      expect(starts[0]).toBe(0)
      expect(starts.slice(1)).toEqual(ends.slice(0, -1))
      expect(ends.at(-1)).toBe(duration)
      expect(new Set(cycle['stage_type'] as number[])).toEqual(new Set([1, 2, 3, 4]))
    }
  })

  it('has steps every waking quarter of an hour and none asleep, and an activity with their sum', () => {
    const steps = findBatch(history, 'steps')
    const activities = listDocuments(history, 'activity')
    expect(activities.map(each => each.record.date)).toEqual(days)
    const sums = new Map<string, number>()
    const sleeps = listDocuments(history, 'sleep').map(({ doc }) =>
      [doc['bedtime_start'], doc['bedtime_stop']].map(t => Date.parse(t as never)),
    )
    for (let i = 0; i < steps.n; i++) {
      const [start, end] = [steps.start[i] as number, steps.end?.[i] as number]
      const asleep = sleeps.some(([from, to]) => start < (to as number) && end > (from as number))
      if (asleep || end - start !== 15 * MINUTE_MS) throw new Error(`steps at ${new Date(start).toISOString()}`)
      const date = formatDate(toLocal(BERLIN, start))
      sums.set(date, (sums.get(date) ?? 0) + (steps.value[i] as number))
    }
    for (const { record, doc } of activities) expect(doc['steps']).toBe(sums.get(record.date))
    const noon = Date.UTC(2026, 10, 18, 11)
    expect(within(steps, noon, noon + 4 * HOUR_MS).size).toBe(16)
    const whole = activities.slice(0, -1).map(each => Number(each.doc['steps']))
    expect(Math.min(...whole)).toBeGreaterThan(1500)
    expect(Math.max(...whole)).toBeLessThan(30_000)
  })

  it('has an activity whose distance and energy are the sums of their samples', () => {
    const [from, to] = [Date.UTC(2026, 10, 17, 23), Date.UTC(2026, 10, 18, 23)]
    const doc = listDocuments(history, 'activity').find(each => each.record.date === '2026-11-18')?.doc
    for (const name of ['distance', 'calories_active']) {
      const sum = [...within(findBatch(history, name), from, to).values()].reduce((a, b) => a + b, 0)
      expect(sum).toBeCloseTo(Number(doc?.[name]), 6)
    }
  })

  it('has a slower heart rate asleep than awake, and a faster one in a workout', () => {
    const heart = findBatch(history, 'heartrate')
    const mean = (from: number, to: number) => {
      const values = [...within(heart, from, to).values()]
      return values.reduce((a, b) => a + b, 0) / values.length
    }
    const sleeps = listDocuments(history, 'sleep')
    for (const { doc, record } of sleeps.slice(0, -1)) {
      const woke = Date.parse(doc['bedtime_stop'] as never)
      const day = Date.parse(`${record.date}T09:00:00Z`)
      expect(mean(woke - 4 * HOUR_MS, woke)).toBeLessThan(mean(day, day + 9 * HOUR_MS) - 5)
    }
    const workouts = listDocuments(history, 'workouts')
    expect(workouts.length).toBeGreaterThan(3)
    for (const { doc } of workouts) {
      expect(doc['average_hr']).toBeGreaterThan(105)
      expect(doc['max_hr']).toBeGreaterThanOrEqual(Number(doc['average_hr']))
    }
  })

  it('has summaries that are returned with all keys, with null for missing values', () => {
    const keys = (kind: string) => {
      const [found] = listDocuments(history, kind)
      return Object.keys(found === undefined ? {} : readDocument(found.record)).sort()
    }
    expect(keys('activity')).toEqual(
      'calendar_date calories_active calories_total daily_movement date distance floors_climbed heart_rate high low medium steps time_zone timezone_offset wheelchair_push wheelchair_use'.split(
        ' ',
      ),
    )
    expect(keys('sleep')).toEqual(
      'average_hrv awake bedtime_start bedtime_stop calendar_date date deep duration efficiency hr_average hr_dip hr_lowest hr_resting latency light recovery_readiness_score rem respiratory_rate score skin_temperature sleep_stream state temperature_delta timezone_offset total type'.split(
        ' ',
      ),
    )
    expect(keys('sleep_cycle')).toEqual(
      'session_end session_start sleep_id source_app_id source_device_id source_provider source_type stage_end_offset_second stage_start_offset_second stage_type time_zone'.split(
        ' ',
      ),
    )
    for (const each of history.summaries) expect(Object.values(each.document)).not.toContain(undefined)
    expect(JSON.stringify(plain(history))).not.toContain('NaN')
  })

  it('has glucose every five minutes, in the range of a sensor', () => {
    const glucose = findBatch(live({ provider: 'dexcom' }), 'glucose')
    expect(glucose.series.sourceType).toBe('automatic')
    expect(Math.min(...glucose.value)).toBeGreaterThanOrEqual(3.1)
    expect(Math.max(...glucose.value)).toBeLessThanOrEqual(14.5)
    expect((glucose.start[1] as number) - (glucose.start[0] as number)).toBe(5 * MINUTE_MS)
  })
})

describe('zones', () => {
  it('follow clock changes: a day of 25 hours has 300 readings, and later samples have another offset', () => {
    const history = live()
    const [from, to] = [Date.UTC(2026, 9, 24, 22), Date.UTC(2026, 9, 25, 23)]
    const heart = findBatch(history, 'heartrate')
    expect(within(heart, from, to).size).toBe(300)
    const offsetAt = (at: number) => heart.offset?.[heart.start.indexOf(at)]
    expect([offsetAt(Date.UTC(2026, 9, 25, 0, 55)), offsetAt(Date.UTC(2026, 9, 25, 1))]).toEqual([7200, 3600])
  })

  it('have a day of 23 hours in spring', () => {
    const history = live({ now: Date.UTC(2026, 3, 2, 12) })
    expect(within(findBatch(history, 'heartrate'), Date.UTC(2026, 2, 28, 23), Date.UTC(2026, 2, 29, 22)).size).toBe(276)
    expect(listDocuments(history, 'sleep')).toHaveLength(31)
  })

  it('count days in UTC and give no offset if the time zone is unknown', () => {
    const history = live({ timeZone: null })
    expect(history.from).toBe(Date.UTC(2026, 9, 21))
    for (const batch of history.batches)
      expect(batch.offset === null || batch.offset.every(each => each === NO_OFFSET)).toBe(true)
    for (const each of history.summaries) expect(each.offset).toBeNull()
    expect(listDocuments(history, 'activity')[0]?.doc).not.toHaveProperty('timezone_offset')
  })

  it.each(['Pacific/Kiritimati', 'America/St_Johns', 'Asia/Kathmandu', 'America/Santiago', 'Africa/Cairo'])(
    'work in %s',
    timeZone => {
      const history = live({ timeZone, now: Date.UTC(2026, 4, 10, 3) })
      expect(listDocuments(history, 'activity')).toHaveLength(31)
      expect(Math.max(...history.summaries.map(each => each.at))).toBeLessThanOrEqual(Date.UTC(2026, 4, 10, 14))
    },
  )

  it('produce no unfinished sleep in the middle of the night or at midnight', () => {
    const night = live({ now: Date.UTC(2026, 10, 20, 2) })
    expect(listDocuments(night, 'sleep').at(-1)?.record.date).toBe('2026-11-19')
    const midnight = live({ timeZone: null, now: Date.UTC(2026, 10, 20) })
    expect(listDocuments(midnight, 'activity').at(-1)?.doc['steps']).toBe(0)
  })
})
