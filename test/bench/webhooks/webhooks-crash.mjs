/** Measures the cost of SIGKILL: events that never arrive, and events that arrive twice, while the sink fails 30 % of the time. */
import { rmSync } from 'node:fs'
import { fill, pause, startServe, startSink } from './webhooks-processes.mjs'

const FAILING = 0.3
const ENDPOINTS = 4
const USERS = 200
const MOST_GROWTH = 1.2
/** Retries are due after minutes or hours on the engine's clock: it is advanced by this much when nothing is due any more. */
const STEP = '1h'

export async function benchCrashes(engine, figures, { events, kills }) {
  const sink = await startSink(FAILING)
  const urls = Array.from({ length: ENDPOINTS }, (_, i) => `${sink.url}/well/${i}`)
  // every event goes to one of the four endpoints
  const filled = await fill(engine, { users: USERS, urls: urls.slice(0, 1), concurrency: 20 })
  await filled.events(events)
  const { deliveries } = filled.store
  let underWay = 0
  let serve = await startServe(engine, filled.folder)
  const began = performance.now()
  for (let kill = 0; kill < kills; kill++) {
    const goal = Math.floor((events * (kill + 0.5)) / kills)
    while ((await sink.report()).ids < goal) {
      await pause(5)
      // towards the end only retries are left
      if (await isDrained(filled)) await filled.call('clock.set', { body: { advance: STEP } })
    }
    await serve.kill('SIGKILL')
    underWay += (await deliveries.figures()).leased
    serve = await startServe(engine, filled.folder)
  }
  // of the last process only: it does most of the retries
  const memory = serve.memory
  let resent = 0
  for (;;) {
    const { waiting, dead } = await deliveries.figures()
    if (waiting === 0 && dead === 0) break
    if (waiting === 0)
      resent += (await filled.call('events.resend', { body: { since: '2020-01-01', dead_only: true } })).queued
    else if (await isDrained(filled)) await filled.call('clock.set', { body: { advance: STEP } })
    await pause(50)
  }
  const seconds = (performance.now() - began) / 1000
  await serve.kill('SIGTERM')
  const { requests, ids, again } = await sink.report()
  sink.close()
  await filled.close()
  rmSync(filled.folder, { recursive: true })
  const attempts = `${requests} attempts in ${seconds.toFixed(0)} s`
  figures.add(`events, ${kills} kills, 30 % of answers 500`, `${events}`, attempts)
  figures.add('lost', `${events - ids}`, '0', ids === events)
  figures.add('arrived twice (of those leased at a kill)', `${again} of ${underWay}`, '<= leased', again <= underWay)
  figures.add('given up after eight failures, and sent again by hand', `${resent}`)
  const third = Math.max(1, Math.floor(memory.length / 3))
  const early = Math.max(...memory.slice(0, third))
  const late = Math.max(...memory.slice(-third))
  const growth = late / early
  const words = `${(early / 1e6).toFixed(0)} → ${(late / 1e6).toFixed(0)} MB`
  figures.add('memory, first and last third of the last process', words, '<= 1.2x', growth <= MOST_GROWTH)
}

/** Returns whether nothing is due or in progress, so that only the passage of time creates more work. */
async function isDrained({ store, call }) {
  const [look, { now }] = await Promise.all([store.deliveries.look('bench'), call('clock.get', {})])
  if (look.leasedElsewhere > 0) return false
  return look.endpoints.every(({ hasFirst, againAt }) => !hasFirst && (againAt === null || againAt > Date.parse(now)))
}
