/** Measures how many signed webhooks are sent per second, to one endpoint and to a hundred, and how much hanging ones slow the others. */
import { rmSync } from 'node:fs'
import { median } from '../figures.mjs'
import { fill, pause, startServe, startSink } from './webhooks-processes.mjs'

const LEAST_PER_SECOND = 5_000
const LEAST_SHARE = 0.9
const HEALTHY = 90
const HANGING = 10
const USERS = 100

/** Returns the deliveries per second of a server that starts with a full queue, from the first arrival to the last. */
async function measure(engine, { healthy, hanging, events, concurrency }) {
  const sink = await startSink()
  const urls = [
    ...Array.from({ length: healthy }, (_, i) => `${sink.url}/well/${i}`),
    ...Array.from({ length: hanging }, (_, i) => `${sink.url}/hang/${i}`),
  ]
  const filled = await fill(engine, { users: USERS, urls, concurrency })
  await filled.events(events)
  await filled.close()
  const serve = await startServe(engine, filled.folder)
  const expected = healthy * events
  try {
    let first = null
    for (;;) {
      const { taken, again, signed } = await sink.report()
      const now = performance.now()
      // arrivals before the first look are not counted
      if (first === null && taken > 0) first = { taken, now }
      if (taken >= expected) {
        if (again > 0 || signed < expected)
          throw new Error(`${again} sent twice, ${expected - signed} without a signature`)
        return ((taken - first.taken) / (now - first.now)) * 1000
      }
      await pause(10)
    }
  } finally {
    await serve.kill('SIGKILL')
    sink.close()
    rmSync(filled.folder, { recursive: true })
  }
}

export async function benchRate(engine, figures, { deliveries, rounds }) {
  for (const [healthy, concurrency] of [
    [1, 50],
    [100, 10],
  ]) {
    const rates = []
    for (let round = 0; round < rounds; round++) {
      rates.push(await measure(engine, { healthy, hanging: 0, events: Math.ceil(deliveries / healthy), concurrency }))
    }
    const rate = median(rates)
    const words = healthy === 1 ? 'one endpoint' : `${healthy} endpoints`
    const isReached = rate >= LEAST_PER_SECOND
    figures.add(
      `signed deliveries to ${words}, ${concurrency} at once each`,
      `${rate.toFixed(0)} /s`,
      '>= 5,000',
      isReached,
    )
  }
}

/** The runs alternate, so that both see the machine in the same state. */
export async function benchHanging(engine, figures, { deliveries, rounds }) {
  const events = Math.ceil(deliveries / HEALTHY)
  const [alone, beside] = [[], []]
  for (let round = 0; round < rounds; round++) {
    alone.push(await measure(engine, { healthy: HEALTHY, hanging: 0, events }))
    beside.push(await measure(engine, { healthy: HEALTHY, hanging: HANGING, events }))
  }
  const share = median(beside) / median(alone)
  figures.add(`deliveries to ${HEALTHY} endpoints`, `${median(alone).toFixed(0)} /s`)
  figures.add(`the same beside ${HANGING} that hang`, `${median(beside).toFixed(0)} /s`)
  figures.add('share of their rate that they keep', share.toFixed(2), '>= 0.9', share >= LEAST_SHARE)
}
