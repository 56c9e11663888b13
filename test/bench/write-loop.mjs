/**
 * A process that writes samples until it is killed, and reports each write as acknowledged. Arguments: the store module, the data folder,
 * the first number, the step, how many writes (0: no limit).
 */
import { writeSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { HEART, openStore, START, USER, writing } from './samples/samples-store.mjs'

const [modulePath, folder, first, step, most] = process.argv.slice(2)
const engine = (await import(pathToFileURL(modulePath).href)).default
const store = await openStore(engine, folder)
const SAMPLES = 20

for (let i = Number(first), written = 0; most === '0' || written < Number(most); i += Number(step), written++) {
  // consecutive numbers go into the same chunks, no matter which process writes them
  const start = Float64Array.from({ length: SAMPLES }, (_, k) => START + (i * SAMPLES + k) * 1000)
  const value = new Float64Array(SAMPLES).fill(i % 200)
  await store.data.write(
    USER,
    writing([{ series: HEART, n: SAMPLES, start, end: null, value, second: null, offset: null, text: new Map() }]),
  )
  writeSync(1, `${i}\n`)
}
await store.close()
