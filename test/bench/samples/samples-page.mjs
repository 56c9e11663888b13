/** Times reading the first page of a month, in a store of 5 M samples and in one ten times as large. */
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { median } from '../figures.mjs'
import { freshFolder, HEART, minuteBatches, openStore, START, USER, writing } from './samples-store.mjs'

const PROVIDERS = ['whoop', 'garmin', 'oura', 'fitbit', 'zwift', 'polar', 'peloton', 'withings', 'wahoo', 'dexcom']
const BATCH = 100_000
const RUNS = 100
/** Pages to read before timing, because a running server has already compiled its code. */
const WARM_UP = 100

/** Fills a store with ten series of one resource, one sample a minute each, `samples` in all. */
async function filled(engine, samples) {
  const folder = freshFolder()
  const store = await openStore(engine, folder)
  const each = samples / PROVIDERS.length
  for (const provider of PROVIDERS) {
    const series = { ...HEART, provider }
    for (const batch of minuteBatches(Math.ceil(each / BATCH), Math.min(BATCH, each), series)) {
      await store.data.write(USER, writing([batch]))
    }
  }
  await store.close()
  return folder
}

/** Reads first pages of 1,000 in process, each of another month. `close` ends the engine. */
async function pages(engine, folder, samples) {
  const opened = await engine.openEngine({ dataDir: folder, waitForLock: 'blocking', pageSize: 1_000 })
  const team = await opened.localTeam()
  const months = Math.floor(samples / PROVIDERS.length / 1_440 / 31)
  return {
    close: () => opened.close(),
    /** Returns the milliseconds for one page. */
    async first(run) {
      const from = new Date(START + ((run * 37) % months) * 31 * 86_400_000)
      const to = new Date(from.getTime() + 30 * 86_400_000)
      const query = { start_date: from.toISOString().slice(0, 10), end_date: to.toISOString().slice(0, 10) }
      const began = performance.now()
      const reply = await engine.runOperation(opened.context, 'timeseries.grouped', {
        input: { params: { user_id: USER, resource: 'heartrate' }, query, body: undefined },
        credentials: { kind: 'team', team, linkToken: null },
        accept: 'application/json',
      })
      const took = performance.now() - began
      const count = Object.values(reply.body.groups)
        .flat()
        .reduce((sum, group) => sum + group.data.length, 0)
      if (count !== 1_000 || reply.body.next_cursor === null) throw new Error(`a page of ${count} samples`)
      return took
    },
  }
}

/** Returns the medians of both stores, measured in turn. */
async function inTurn(stores) {
  const times = stores.map(() => [])
  for (let run = 0; run < RUNS + WARM_UP; run++) {
    for (const [i, store] of stores.entries()) {
      const took = await store.first(run)
      if (run >= WARM_UP) times[i].push(took)
    }
  }
  for (const store of stores) await store.close()
  return times.map(median)
}

export async function benchPages(engine, figures, { small, large }) {
  const folders = [await filled(engine, small), await filled(engine, large)]
  const [few, many] = await inTurn([await pages(engine, folders[0], small), await pages(engine, folders[1], large)])
  const name = n => `${n / 1e6} M`
  figures.add(
    `first page of 1,000 from a month at ${name(small)} samples, in process`,
    `${few.toFixed(2)} ms`,
    '≤ 5 ms',
    few <= 5,
  )
  const ratio = many / few
  figures.add(
    `  at ${name(large)} (${many.toFixed(2)} ms) against ${name(small)}`,
    `${ratio.toFixed(2)} ×`,
    '≤ 1.3 ×',
    ratio <= 1.3,
  )
  // the log is merged into the file when the process ends
  const bytes = name => statSync(join(folders[1], name), { throwIfNoEntry: false })?.size ?? 0
  const size = Math.max(bytes('svc.db'), bytes('svc.db-wal')) / large
  figures.add(`  bytes a sample in the file at ${name(large)}, events included`, size.toFixed(2))
  for (const folder of folders) rmSync(folder, { recursive: true })
}
