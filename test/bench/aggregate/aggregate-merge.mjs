/** Times merged queries over a user-year of minutes from each of three sources, compared with the same queries without a merge. */
import { rmSync } from 'node:fs'
import { DAY, freshFolder, openStore, USER, writing } from '../samples/samples-store.mjs'
import { FROM, lastDay, THREE_SOURCES } from './aggregate-data.mjs'
import { asked, inTurn } from './aggregate-scan.mjs'

const MINUTE = 60_000
const DAYS = 365
const RUNS = 25
const MOST = 2

/** Which minutes of a day a source has: all of them; or a watch that is charged in the evening, and not worn at odd minutes. */
const WORN = {
  'all day': () => true,
  'with gaps': (source, day, minute) => source > 0 || (minute < 1_080 && (minute + day) % 97 > 30),
}

export async function benchMerge(engine, figures) {
  for (const [name, isWorn] of Object.entries(WORN)) {
    for (const resource of ['steps', 'heartrate']) await benchOne(engine, figures, { name, resource, isWorn })
  }
  for (const apps of [['a'], ['a', 'b']]) {
    const name = `all day, of ${apps.length === 1 ? 'one app' : 'two apps'} each`
    await benchOne(engine, figures, { name, resource: 'steps', isWorn: () => true, apps })
  }
}

async function benchOne(engine, figures, { name, resource, isWorn, apps = [] }) {
  const folder = freshFolder()
  const store = await openStore(engine, folder)
  for (let day = 0; day < DAYS; day++) {
    const batches = THREE_SOURCES.map((series, source) => dayOf({ ...series, resource }, source, day, isWorn, apps))
    await store.data.write(USER, writing(batches))
  }
  const query = merge => asked(engine, store, byDay(resource, merge))
  const [plain, merged] = await inTurn(RUNS, [query(false), query(true)])
  const what = `${resource} of three sources ${name}, a year of minutes by day: merged (${merged.toFixed(0)} ms)`
  const ratio = `${(merged / plain).toFixed(2)} × not merged`
  // two apps each are six sources, for which there is no target
  if (apps.length > 1) figures.add(what, ratio)
  else figures.add(what, ratio, `≤ ${MOST} ×`, merged / plain <= MOST)
  await store.close()
  rmSync(folder, { recursive: true })
}

function byDay(resource, merge) {
  const func = resource === 'steps' ? 'sum' : 'mean'
  return {
    timeframe: { type: 'relative', anchor: lastDay(DAYS * 1_440, 1, MINUTE), past: { unit: 'year', value: 2 } },
    queries: [
      {
        select: [{ group_key: '*' }, { func, arg: { timeseries: resource, field: 'value' } }],
        group_by: [{ date_trunc: { unit: 'day', value: 1 }, arg: { index: 'timeseries' } }],
        merge,
      },
    ],
  }
}

/** The apps take turns by the hour. */
function dayOf(series, source, day, isWorn, apps) {
  const minutes = Array.from({ length: 1_440 }, (_, minute) => minute).filter(minute => isWorn(source, day, minute))
  const start = Float64Array.from(minutes, minute => FROM + day * DAY + minute * MINUTE)
  const value = Float64Array.from(minutes, minute => 40 + ((minute * 7 + source * 31) % 120))
  const end = series.resource === 'steps' ? start.map(at => at + MINUTE) : null
  const offset = new Int32Array(start.length).fill(3_600)
  const codes = Uint32Array.from(minutes, minute => 1 + (Math.floor(minute / 60) % apps.length))
  const text = new Map(apps.length === 0 ? [] : [['app_id', { values: apps, codes }]])
  return { series, n: start.length, start, end, value, second: null, offset, text }
}
