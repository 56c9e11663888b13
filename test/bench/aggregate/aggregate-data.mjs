/** The data of the aggregate benchmark: samples of one user and of others in a store, and the same rows in DuckDB. */
import { createWriteStream, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { beats, DAY, openStore, TEAM, USER, writing } from '../samples/samples-store.mjs'

/** Milliseconds between samples; each batch contains one day. */
export const STEP = 5_000
const A_DAY = DAY / STEP
export const FROM = Date.UTC(2022, 0, 1)
/** Seconds east of UTC of every sample. */
const OFFSET = 3_600
const SERIES = { resource: 'heartrate', type: null }
export const ONE_SOURCE = [{ ...SERIES, provider: 'whoop', sourceType: 'watch' }]
export const THREE_SOURCES = [
  { ...SERIES, provider: 'garmin', sourceType: 'watch' },
  { ...SERIES, provider: 'oura', sourceType: 'ring' },
  { ...SERIES, provider: 'apple_health_kit', sourceType: 'phone' },
]

/** Yields `samples` samples in batches of one day, cycling through the series, up to the last whole day. */
export function* dayBatches(samples, series, step = STEP) {
  const next = beats()
  const size = DAY / step
  const count = Math.ceil(samples / size)
  for (let k = 0; k < count; k++) {
    const day = Math.floor(k / series.length)
    const n = Math.min(size, samples - k * size)
    const start = new Float64Array(n)
    const value = new Float64Array(n)
    for (let i = 0; i < n; i++) {
      start[i] = FROM + day * DAY + i * step
      value[i] = next()
    }
    const offset = new Int32Array(n).fill(OFFSET)
    yield { series: series[k % series.length], n, start, end: null, value, second: null, offset, text: new Map() }
  }
}

/** Returns the last floating day of a data set with this many samples. */
export function lastDay(samples, sources, step = STEP) {
  const days = Math.ceil(Math.ceil(samples / (DAY / step)) / sources)
  return new Date(FROM + days * DAY).toISOString().slice(0, 10)
}

/** Fills a data folder with `own` samples of the user, spread over the sources, and `other` samples of ten other users. */
export async function fillStore(engine, folder, own, other, series) {
  const store = await openStore(engine, folder)
  for (const batch of dayBatches(own, series)) await store.data.write(USER, writing([batch]))
  for (let k = 0; k < 10 && other > 0; k++) {
    const userId = `33333333-3333-4333-8333-${String(k).padStart(12, '0')}`
    await store.users.create({ ...(await store.users.find(TEAM, USER)), userId, clientUserId: `other-${k}` })
    // ten days in each transaction: filling is not timed
    let batches = []
    for (const batch of dayBatches(other / 10, ONE_SOURCE)) {
      if (batches.push(batch) < 10) continue
      await store.data.write(userId, writing(batches))
      batches = []
    }
    if (batches.length > 0) await store.data.write(userId, writing(batches))
  }
  return store
}

/** Writes the user's rows as a table `t (ms, value, source)` to a DuckDB file: `ms` is floating milliseconds, an integer. */
export async function fillDuck(path, samples, series) {
  mkdirSync(path, { recursive: true })
  const csv = join(path, 'rows.csv')
  const out = createWriteStream(csv)
  for (const { n, start, value, series: of } of dayBatches(samples, series)) {
    const lines = []
    const source = series.indexOf(of)
    for (let i = 0; i < n; i++) lines.push(`${start[i] + OFFSET * 1000},${value[i]},${source}\n`)
    if (!out.write(lines.join(''))) await new Promise(resolve => out.once('drain', resolve))
  }
  out.end()
  await finished(out)
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const file = join(path, 'rows.duckdb')
  const instance = await DuckDBInstance.create(file)
  const connection = await instance.connect()
  await connection.run(
    `CREATE TABLE t AS SELECT * FROM read_csv('${csv}', header=false, columns={'ms': 'BIGINT', 'value': 'INTEGER', 'source': 'TINYINT'})`,
  )
  return { file, instance, connection }
}

export const samplesADay = A_DAY
