/** Times a million result rows as Parquet, CSV and JSON: a time, an integer, two doubles and a text with few distinct values. */
import { median } from '../figures.mjs'
import { addTime, slowness } from '../reference.mjs'

const ROWS = 1_000_000
const RUNS = 5
const FIRST = Date.UTC(2024, 0, 1)
const TEXTS = ['oura', 'garmin', 'apple_health_kit', 'fitbit']

/**
 * Builds a result as the engine does: minutes, a count, a mean with any number of digits, a mean of decimals and a provider, with some
 * nulls in the means.
 */
function resultTable(rows) {
  const time = new BigInt64Array(rows)
  const count = new BigInt64Array(rows)
  const mean = new Float64Array(rows)
  const level = new Float64Array(rows)
  const code = new Int32Array(rows)
  const valid = new Uint8Array((rows + 7) >> 3).fill(255)
  let seed = 1
  const random = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    return seed / 2 ** 32
  }
  for (let i = 0; i < rows; i++) {
    time[i] = BigInt(FIRST + i * 60_000) * 1000n
    count[i] = BigInt(Math.floor(random() * 1440))
    mean[i] = 40 + random() * 120
    level[i] = Math.round(random() * 1000) / 10
    code[i] = Math.floor(random() * TEXTS.length)
    if (i % 50 === 0) valid[i >> 3] &= ~(1 << (i & 7))
  }
  const column = (name, kind, values, more) => ({ name, kind, length: rows, valid: null, values, texts: [], ...more })
  return {
    numRows: rows,
    columns: [
      column('group_key.0', 'time', time),
      column('count', 'int64', count),
      column('mean.glucose', 'float', mean, { valid }),
      column('mean.heartrate', 'float', level),
      column('newest.source_provider', 'text', code, { texts: TEXTS }),
    ],
  }
}

/** Returns the milliseconds of each run and the number of bytes written. The first run warms up and does not count. */
async function timed(render) {
  const times = []
  let bytes = 0
  for (let run = 0; run <= RUNS; run++) {
    const began = performance.now()
    bytes = 0
    for await (const piece of render()) bytes += piece.length
    if (run > 0) times.push(performance.now() - began)
  }
  return { ms: median(times), bytes }
}

/** Adds the three figures. `engine` is the module built from render-entry.ts. */
export async function benchRender(engine, figures, factor) {
  const table = resultTable(ROWS)
  const renderings = [
    ['Parquet', 1500, () => engine.parquetPieces(table)],
    ['CSV', 1000, () => engine.csvPieces(table)],
    ['JSON', 1000, () => engine.jsonPieces([table])],
  ]
  for (const [name, most, render] of renderings) {
    const { ms, bytes } = await timed(render)
    const what = `1 M result rows to ${name} (${(bytes / 1e6).toFixed(1)} MB), median of ${RUNS}`
    addTime(figures, what, ms, most, factor)
  }
}

if (process.argv[1] === import.meta.filename || process.argv[1]?.endsWith('aggregate-render.mjs')) {
  const [{ bundled }, { Figures }] = await Promise.all([import('../bundle.mjs'), import('../figures.mjs')])
  const figures = new Figures()
  await benchRender(await bundled('aggregate/render-entry.ts'), figures, slowness())
  process.exitCode = figures.missed > 0 ? 1 : 0
}
