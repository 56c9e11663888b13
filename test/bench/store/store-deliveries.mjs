/** Measures signed deliveries of servers on PostgreSQL: the rate, and the work that a killed process leaves to another one. */
import { pause, startServe, startSink } from '../webhooks/webhooks-processes.mjs'
import { fillStore } from './store-processes.mjs'

const USERS = 200
const LEAST = 2_000

export async function benchDeliveries(engine, figures, { url, events }) {
  const sink = await startSink()
  const filled = await fillStore(engine, url, { users: USERS, urls: [`${sink.url}/well`] })
  await filled.events(events)
  const serve = await startServe(engine, filled.folder())
  const rate = await rateUntil(sink, events)
  await serve.kill('SIGTERM')
  const { again } = await sink.report()
  sink.close()
  await filled.drop()
  figures.add('signed deliveries of one server, to one endpoint', `${rate.toFixed(0)} /s`, '≥ 2,000/s', rate >= LEAST)
  figures.add('  delivered twice', `${again}`, '0', again === 0)
}

/** One of two delivering processes is killed when a third has arrived. */
export async function benchTwoDeliverers(engine, figures, { url, events }) {
  const sink = await startSink()
  const filled = await fillStore(engine, url, { users: USERS, urls: [`${sink.url}/well`] })
  await filled.events(events)
  const serves = [await startServe(engine, filled.folder()), await startServe(engine, filled.folder())]
  while ((await sink.report()).taken < events / 3) await pause(5)
  await serves[0].kill('SIGKILL')
  const { leased } = await filled.store.deliveries.figures()
  while ((await sink.report()).ids < events) await pause(50)
  await serves[1].kill('SIGTERM')
  const { again, disordered, ids } = await sink.report()
  sink.close()
  await filled.drop()
  figures.add('two deliverers, one killed: events lost', `${events - ids}`, '0', ids === events)
  figures.add('  out of order for a user', `${disordered}`, '0', disordered === 0)
  figures.add('  delivered twice (of those leased at the kill)', `${again} of ${leased}`, '≤ leased', again <= leased)
}

/** Returns the deliveries a second, from the first arrival to the last. */
async function rateUntil(sink, expected) {
  let first = null
  for (;;) {
    const { taken, signed } = await sink.report()
    const now = performance.now()
    if (first === null && taken > 0) first = { taken, now }
    if (taken >= expected) {
      if (signed < expected) throw new Error(`${expected - signed} without a signature`)
      return ((taken - first.taken) / (now - first.now)) * 1000
    }
    await pause(10)
  }
}
