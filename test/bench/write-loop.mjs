/**
 * A process that writes samples until it is killed, and says after each write that it was acknowledged.
 * Arguments: the module of the store, the data folder, the first number, the step, how many (0: without end).
 */
import { writeSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { HEART, openStore, START, USER, writing } from './samples/samples-store.mjs'

const [modulePath, folder, first, step, most] = process.argv.slice(2)
const engine = (await import(pathToFileURL(modulePath).href)).default
const store = await openStore(engine, folder)
const SAMPLES = 20

for (let i = Number(first), written = 0; most === '0' || written < Number(most); i += Number(step), written++) {
  // numbers that follow each other fall into the same chunks, whoever writes them
  const start = Float64Array.from({ length: SAMPLES }, (_, k) => START + (i * SAMPLES + k) * 1000)
  const value = new Float64Array(SAMPLES).fill(i % 200)
  await store.write(
    USER,
    writing([{ series: HEART, n: SAMPLES, start, end: null, value, second: null, offset: null, text: new Map() }]),
  )
  writeSync(1, `${i}\n`)
}
await store.close()
