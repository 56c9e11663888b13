/** Times ten aggregates by week over ten years of nights in the store. */
import { rmSync } from 'node:fs'
import { median } from '../figures.mjs'
import { addTime } from '../reference.mjs'
import { DAY, freshFolder, openStore, USER, writing } from '../samples/samples-store.mjs'

const NIGHTS = 3_650
const FROM = Date.UTC(2014, 0, 1)
const RUNS = 25

/** Builds a night as a wearable reports it. */
function night(k) {
  const end = FROM + k * DAY + 7 * 3_600_000 + (k % 50) * 60_000
  const duration = 25_200 + (k % 90) * 60
  const start = end - duration * 1000
  const iso = ms => new Date(ms).toISOString().replace('.000Z', '+00:00')
  const asleep = Math.round(duration * (0.85 + (k % 10) / 100))
  return {
    kind: 'sleep',
    id: `44444444-4444-4444-8444-${String(k).padStart(12, '0')}`,
    provider: 'oura',
    sourceType: 'ring',
    appId: null,
    deviceId: null,
    at: end,
    date: new Date(end).toISOString().slice(0, 10),
    offset: 0,
    document: {
      calendar_date: new Date(end).toISOString().slice(0, 10),
      date: iso(end),
      bedtime_start: iso(start),
      bedtime_stop: iso(end),
      type: k % 20 === 0 ? 'short_sleep' : 'long_sleep',
      timezone_offset: 0,
      duration,
      total: asleep,
      awake: duration - asleep,
      light: Math.round(asleep * 0.55),
      rem: Math.round(asleep * 0.22),
      deep: Math.round(asleep * 0.23),
      score: 60 + (k % 35),
      recovery_readiness_score: null,
      hr_lowest: 48 + (k % 9),
      hr_average: 56.5 + (k % 7),
      hr_resting: 50 + (k % 8),
      efficiency: 85 + (k % 100) / 10,
      latency: 300 + (k % 40) * 20,
      temperature_delta: (k % 11) / 10 - 0.5,
      skin_temperature: 35.2,
      hr_dip: 12.5,
      state: 'confirmed',
      average_hrv: 45 + (k % 33),
      respiratory_rate: 14.5,
      sleep_stream: null,
    },
  }
}

const FUNCTIONS = [
  ['mean', 'efficiency'],
  ['median', 'efficiency'],
  ['stddev', 'efficiency'],
  ['mean', 'duration_second'],
  ['sum', 'stage_asleep_second'],
  ['max', 'heart_rate_maximum'],
  ['min', 'heart_rate_minimum'],
  ['mean', 'hrv_mean_rmssd'],
  ['newest', 'type'],
  ['count', 'id'],
]

export async function benchSleep(engine, figures, factor) {
  const folder = freshFolder()
  const store = await openStore(engine, folder)
  const summaries = Array.from({ length: NIGHTS }, (_, k) => night(k))
  await store.data.write(USER, { ...writing([]), summaries })
  const body = engine.queryBatch().parse({
    timeframe: { type: 'relative', anchor: '2024-01-01', past: { unit: 'year', value: 11 } },
    queries: [
      {
        select: [{ group_key: '*' }, ...FUNCTIONS.map(([func, sleep]) => ({ func, arg: { sleep } }))],
        group_by: [{ date_trunc: { unit: 'week', value: 1 }, arg: { index: 'sleep' } }],
      },
    ],
  })
  const times = []
  for (let run = 0; run < RUNS + 15; run++) {
    const began = performance.now()
    const call = { now: Date.UTC(2030, 0, 1), providers: { slugs: [] }, priorities: [] }
    const [table] = await engine.runQueryBatch(store, { userId: USER, fallbackTimeZone: null }, body, call)
    if (run >= 15) times.push(performance.now() - began)
    if (table.numRows < 520) throw new Error(`${table.numRows} weeks`)
  }
  const took = median(times)
  addTime(figures, 'ten years of sleep rows (3,650), ten aggregates by week', took, 15, factor)
  await store.close()
  rmSync(folder, { recursive: true })
}
