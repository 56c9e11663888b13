/** Times scans of one user-year of minutes and of ten million samples, compared with a bare loop over the same blobs and with DuckDB. */

import { rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { median } from '../figures.mjs'
import { addTime } from '../reference.mjs'
import { DAY, freshFolder, USER, writing } from '../samples/samples-store.mjs'
import { dayBatches, fillDuck, fillStore, lastDay, ONE_SOURCE, THREE_SOURCES } from './aggregate-data.mjs'

const RUNS = 15
/** Runs before timing, so that the figures do not include compiling the code. */
const WARM_UP = 10
const NAMES = ['mean', 'min', 'max', 'sum', 'count', 'stddev']
const field = { timeseries: 'heartrate', field: 'value' }
export const SIX = NAMES.map(func => ({ func, arg: field }))
const user = { userId: USER, fallbackTimeZone: null }

/** Builds a request for the twenty years up to the last day of the data. */
export function byDay(anchor, more = {}) {
  return {
    timeframe: { type: 'relative', anchor, past: { unit: 'year', value: 20 } },
    queries: [
      {
        select: [{ group_key: '*' }, ...SIX],
        group_by: [{ date_trunc: { unit: 'day', value: 1 }, arg: { index: 'timeseries' } }],
        ...more,
      },
    ],
  }
}

const call = { now: Date.UTC(2030, 0, 1), providers: { slugs: [] }, priorities: [] }

export function asked(engine, store, request) {
  const body = engine.queryBatch().parse(request)
  return async () => (await engine.runQueryBatch(store, user, body, call))[0]
}

/** Returns the median time of each of several tasks. They run in turn, so that changes in the machine's load affect all of them alike. */
export async function inTurn(runs, works) {
  const times = works.map(() => [])
  for (let run = 0; run < runs + WARM_UP; run++) {
    for (const [i, work] of works.entries()) {
      const began = performance.now()
      await work()
      if (run >= WARM_UP) times[i].push(performance.now() - began)
    }
  }
  return times.map(median)
}

export async function benchYear(engine, figures, factor) {
  const folder = freshFolder()
  const { openStore } = await import('../samples/samples-store.mjs')
  const store = await openStore(engine, folder)
  for (const batch of dayBatches(525_600, ONE_SOURCE, 60_000)) await store.data.write(USER, writing([batch]))
  const query = asked(engine, store, byDay(lastDay(525_600, 1, 60_000)))
  const table = await query()
  if (table.numRows < 365) throw new Error(`${table.numRows} days`)
  const [took] = await inTurn(RUNS * 3, [query])
  addTime(figures, '525,600 samples (a year of minutes) by day, six functions', took, 20, factor)
  await store.close()
  rmSync(folder, { recursive: true })
}

/** Does the same work by hand: whole days of a regular chunk of bytes, nothing else. */
function bareLoop(folder, userId) {
  const { DatabaseSync } = createRequire(import.meta.url)('@photostructure/sqlite')
  const db = new DatabaseSync(join(folder, 'svc.db'))
  db.exec('PRAGMA cache_size=-16384')
  const statement = db.prepare('SELECT data FROM chunk WHERE user_id=? ORDER BY series_id, chunk_start')
  const days = 20_000
  const [counts, sums, squares] = [new Float64Array(days), new Float64Array(days), new Float64Array(days)]
  const [mins, maxs] = [new Float64Array(days), new Float64Array(days)]
  return () => {
    counts.fill(0)
    sums.fill(0)
    squares.fill(0)
    mins.fill(Number.POSITIVE_INFINITY)
    maxs.fill(Number.NEGATIVE_INFINITY)
    db.exec('BEGIN')
    for (const { data } of statement.iterate(userId)) {
      const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
      const n = view.getUint32(8, true)
      const base = view.getInt32(12, true)
      const first = view.getFloat64(16, true) + 3_600_000
      const step = view.getFloat64(24, true)
      // time, at most one duration, values, one offset: the layout of this benchmark's data
      const codes = new Uint8Array(data.buffer, data.byteOffset + 32, n)
      for (let i = 0; i < n; ) {
        const day = Math.floor((first + i * step) / DAY)
        const end = Math.min(n, Math.ceil(((day + 1) * DAY - first) / step))
        let [sum, square, min, max] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
        const from = i
        for (; i < end; i++) {
          const value = base + codes[i]
          sum += value
          square += value * value
          if (value < min) min = value
          if (value > max) max = value
        }
        counts[day] += end - from
        sums[day] += sum
        squares[day] += square
        if (min < mins[day]) mins[day] = min
        if (max > maxs[day]) maxs[day] = max
      }
    }
    db.exec('COMMIT')
    return { counts, sums, mins, maxs, close: () => db.close() }
  }
}

const DUCK = `SELECT ms // ${DAY} AS day, avg(value), min(value), max(value), sum(value), count(value), stddev_samp(value) FROM t`

function checkSame(table, bare) {
  const columns = Object.fromEntries(table.columns.map(({ name, values }) => [name, values]))
  for (let row = 0; row < table.numRows; row++) {
    const day = Math.floor(Number(columns['group_key.0'][row]) / 1000 / DAY)
    if (Number(columns.count[row]) !== bare.counts[day] || Number(columns.sum[row]) !== bare.sums[day])
      throw new Error(`the bare loop differs on day ${day}`)
  }
}

export async function benchScan(engine, figures, { own, all }) {
  const folder = freshFolder()
  const store = await fillStore(engine, folder, own, all - own, ONE_SOURCE)
  const duckFolder = freshFolder()
  const duck = await fillDuck(duckFolder, own, ONE_SOURCE)
  const bare = bareLoop(folder, USER)
  const anchor = lastDay(own, 1)
  const plain = asked(engine, store, byDay(anchor))
  const where = 'heartrate >= 60 AND heartrate < 150'
  const filtered = asked(engine, store, byDay(anchor, { where }))
  checkSame(await plain(), bare())
  const [loop, ours, kept, peer, peerKept] = await inTurn(RUNS, [
    bare,
    plain,
    filtered,
    () => duck.connection.runAndReadAll(`${DUCK} GROUP BY day ORDER BY day`),
    () => duck.connection.runAndReadAll(`${DUCK} WHERE value >= 60 AND value < 150 GROUP BY day ORDER BY day`),
  ])
  const million = n => `${n / 1e6} M`
  figures.add(`${million(own)} of one user in ${million(all)} by day, six functions`, `${ours.toFixed(0)} ms`)
  report(figures, 'against a bare loop over the same blobs', ours / loop, 1.5, loop)
  report(figures, 'how many times as fast as DuckDB by integer time', peer / ours, -4, peer)
  report(figures, 'with a where of two predicates, against the bare loop', kept / loop, 3, kept)
  figures.add('  the same, how many times as fast as DuckDB', `${(peerKept / kept).toFixed(1)} ×`)
  bare().close()
  duck.connection.closeSync()
  duck.instance.closeSync()
  await store.close()
  rmSync(duckFolder, { recursive: true })
  rmSync(folder, { recursive: true })
  await benchSources(engine, figures, own)
}

async function benchSources(engine, figures, own) {
  const folder = freshFolder()
  const store = await fillStore(engine, folder, own, 0, THREE_SOURCES)
  const bare = bareLoop(folder, USER)
  const query = asked(engine, store, byDay(lastDay(own, 3)))
  const [loop, ours] = await inTurn(RUNS, [bare, query])
  report(figures, 'with prioritization over three sources, against the bare loop', ours / loop, 4, ours)
  bare().close()
  await store.close()
  rmSync(folder, { recursive: true })
}

/** Adds a ratio that should be at most `limit`, or at least `-limit` if it is negative. */
function report(figures, what, ratio, limit, milliseconds) {
  const reach = limit < 0 ? `≥ ${-limit} ×` : `≤ ${limit} ×`
  const reached = limit < 0 ? ratio >= -limit : ratio <= limit
  figures.add(`  ${what} (${milliseconds.toFixed(0)} ms)`, `${ratio.toFixed(2)} ×`, reach, reached)
}
