/** Times writing: batches of one day, each durable, next to the same rows in a SQLite table; and one sample into a full day. */
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { median, percentile } from '../figures.mjs'
import { freshFolder, HEART, MINUTE, minuteBatches, openStore, START, USER, writing } from './samples-store.mjs'

const BATCH = 1_440

/** Returns samples per second, with `together` batches in flight. Each batch is durable when its promise resolves. */
async function packed(engine, batches, together, parent) {
  const folder = freshFolder(parent)
  const store = await openStore(engine, folder)
  const began = performance.now()
  for (let i = 0; i < batches.length; i += together) {
    await Promise.all(batches.slice(i, i + together).map(batch => store.data.write(USER, writing([batch]))))
  }
  const seconds = (performance.now() - began) / 1000
  await store.close()
  rmSync(folder, { recursive: true })
  return (batches.length * BATCH) / seconds
}

/** Writes the same samples as rows, with the same pragmas and as many batches per transaction. */
function rows(batches, together, parent) {
  const folder = freshFolder(parent)
  const db = new DatabaseSync(join(folder, 'rows.db'))
  db.exec('PRAGMA page_size=8192; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-16384')
  db.exec(`CREATE TABLE sample (series_id INTEGER NOT NULL, start INTEGER NOT NULL, zone_offset INTEGER, value REAL NOT NULL,
    PRIMARY KEY (series_id, start)) STRICT, WITHOUT ROWID`)
  const insert = db.prepare(`INSERT INTO sample VALUES (1,?,?,?)
    ON CONFLICT DO UPDATE SET zone_offset=excluded.zone_offset, value=excluded.value`)
  const began = performance.now()
  for (let i = 0; i < batches.length; i += together) {
    db.exec('BEGIN IMMEDIATE')
    for (const { n, start, offset, value } of batches.slice(i, i + together)) {
      for (let k = 0; k < n; k++) insert.run(start[k], offset[k], value[k])
    }
    db.exec('COMMIT')
  }
  const seconds = (performance.now() - began) / 1000
  db.close()
  rmSync(folder, { recursive: true })
  return (batches.length * BATCH) / seconds
}

/** Returns the milliseconds of a bare write of 4 KiB plus sync in the store's location. */
function bareSync(parent) {
  const folder = freshFolder(parent)
  const file = openSync(join(folder, 'bare'), 'w')
  const page = Buffer.alloc(4096, 1)
  const times = []
  for (let i = 0; i < 300; i++) {
    const began = performance.now()
    writeSync(file, page, 0, page.length, (i % 64) * page.length)
    fdatasyncSync(file)
    times.push(performance.now() - began)
  }
  closeSync(file)
  rmSync(folder, { recursive: true })
  return median(times)
}

export async function benchWrites(engine, figures, { samples, parents }) {
  for (const [where, parent] of parents) {
    const batches = minuteBatches(Math.ceil(samples / BATCH), BATCH)
    figures.add(`one bare write of 4 KiB and its sync, ${where}`, `${bareSync(parent).toFixed(3)} ms`)
    for (const together of [1, 32]) {
      const [ours, theirs] = [[], []]
      for (let run = 0; run < 3; run++) {
        ours.push(await packed(engine, batches, together, parent))
        theirs.push(rows(batches, together, parent))
      }
      const how = together === 1 ? 'one after the other' : `${together} asked for at once`
      const rate = median(ours)
      figures.add(
        `write ${samples / 1e6} M in durable batches of ${BATCH}, events too, ${how}, ${where}`,
        `${(rate / 1e6).toFixed(2)} M/s`,
        '≥ 1.5 M/s',
        rate >= 1.5e6,
      )
      const ratio = rate / median(theirs)
      figures.add(
        `  against rows in a table (${(median(theirs) / 1e6).toFixed(2)} M/s)`,
        `${ratio.toFixed(1)} ×`,
        '≥ 3 ×',
        ratio >= 3,
      )
    }
  }
}

export async function benchOneSample(engine, figures, { parents }) {
  for (const [where, parent] of parents) {
    const folder = freshFolder(parent)
    const store = await openStore(engine, folder)
    await store.data.write(USER, writing(minuteBatches(1, BATCH)))
    const times = []
    for (let i = 0; i < 500; i++) {
      const start = Float64Array.of(START + ((i * 997) % BATCH) * MINUTE + 30_000)
      const sample = { n: 1, start, end: null, value: Float64Array.of(60 + (i % 90)), second: null, offset: null }
      const began = performance.now()
      await store.data.write(USER, writing([{ series: HEART, ...sample, text: new Map() }]))
      times.push(performance.now() - began)
    }
    await store.close()
    rmSync(folder, { recursive: true })
    const p50 = median(times)
    figures.add(`one durable sample into a full day, p50, ${where}`, `${p50.toFixed(3)} ms`, '≤ 0.5 ms', p50 <= 0.5)
    figures.add(`  p99, ${where}`, `${percentile(times, 0.99).toFixed(3)} ms`)
  }
}

export function benchBytes({ encodeChunk }, figures) {
  const [batch] = minuteBatches(1, BATCH)
  const irregular = { ...batch, start: batch.start.map((time, i) => time + (i % 7) * 1013) }
  const exact = { ...irregular, value: batch.value.map((value, i) => value + Math.sin(i) / 7) }
  const size = columns => encodeChunk(columns).byteLength / BATCH
  const show = (what, columns, most) => {
    const bytes = size(columns)
    figures.add(`bytes a sample: ${what}`, bytes.toFixed(2), `≤ ${most}`, bytes <= most)
  }
  show('whole bpm at a regular step', batch, 1.5)
  show('whole bpm at irregular times', irregular, 7)
  show('f64 at irregular times', exact, 13)
}
