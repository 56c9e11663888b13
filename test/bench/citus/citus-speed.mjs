/** Compares the same work over plain PostgreSQL, the coordinator of a cluster, and one of its workers, in turns. */
import { startCitus } from '../../kit/postgres/citus.mjs'
import { startPostgres } from '../../kit/postgres/server.mjs'
import { median } from '../figures.mjs'
import { HEART, MINUTE, minuteBatches, START, TEAM, writing } from '../samples/samples-store.mjs'
import { createUsers, freshDatabase, openStore, userAt } from '../store/store-databases.mjs'
import { clusterDatabase } from './citus-store.mjs'

const ROUNDS = 3
const TOGETHER = 32
const MOST_TIMES = { push: 3, creation: 4, page: 3 }

/** Returns the median milliseconds of a call that is made one after the other. */
async function timed(times, call) {
  const took = []
  for (let i = 0; i < times; i++) {
    const began = performance.now()
    await call(i)
    took.push(performance.now() - began)
  }
  return median(took)
}

/** Returns how many calls a second complete if some are made at once. */
async function rated(times, call) {
  let next = 0
  const began = performance.now()
  const work = async () => {
    while (next < times) await call(next++)
  }
  await Promise.all(Array.from({ length: TOGETHER }, work))
  return times / ((performance.now() - began) / 1000)
}

function sampleAt(minute) {
  const start = Float64Array.of(START + minute * MINUTE)
  const columns = { n: 1, start, end: null, value: Float64Array.of(60 + (minute % 90)), second: null, offset: null }
  return writing([{ series: HEART, ...columns, text: new Map() }])
}

/** Measures a store. `round` makes the data of each round different. */
async function measured(store, round, share) {
  const users = 64
  const first = 1_000_000 * (round + 1)
  const creation = await timed(200 * share, i =>
    store.users.create({
      ...{ userId: userAt(first + i), teamId: TEAM, clientUserId: `more-${first + i}`, createdOn: first + i },
      ...{ fallbackTimeZone: null, fallbackBirthDate: null, ingestionStart: null, ingestionEnd: null, deletedAt: null },
    }),
  )
  const push = await timed(1_000 * share, i => store.data.write(userAt(i % users), sampleAt(round * 20_000 + i)))
  const page = await timed(400 * share, () => store.users.list(TEAM, 0, 50))
  const batches = minuteBatches(Math.ceil(640 * share), 1_440, HEART, START + (round + 1) * 3_650 * 86_400_000)
  const rate = await rated(batches.length, i => store.data.write(userAt(i % users), writing([batches[i]])))
  return { push, creation, page, rate }
}

export async function benchSpeed(engine, figures, { share }) {
  const plain = await startPostgres()
  const cluster = await startCitus()
  try {
    const spread = await clusterDatabase(cluster)
    const alone = await freshDatabase(plain.url('postgres'))
    const stores = {
      plain: await openStore(engine, alone.url),
      coordinator: await openStore(engine, spread.url),
      worker: await openStore(engine, cluster.workers[0].url(spread.name)),
    }
    for (const name of ['plain', 'coordinator']) await createUsers(stores[name], 2_000 * share)
    const found = Object.fromEntries(Object.keys(stores).map(name => [name, []]))
    for (let round = 0; round < ROUNDS; round++)
      for (const [i, [name, store]] of Object.entries(stores).entries())
        found[name].push(await measured(store, round * 3 + i, share))
    const of = (name, what) => median(found[name].map(each => each[what]))
    for (const [what, words] of [
      ['push', 'one sample'],
      ['creation', 'creating a user'],
      ['page', 'a page of 50 users'],
    ])
      for (const name of Object.keys(stores)) {
        const times = of(name, what) / of('plain', what)
        const most = MOST_TIMES[what]
        const told = name === 'plain' ? [] : [`≤ ${most} × plain`, times <= most]
        figures.add(`${words}, p50, ${name}`, `${of(name, what).toFixed(2)} ms, ${times.toFixed(2)} ×`, ...told)
      }
    for (const name of Object.keys(stores)) {
      const samples = (of(name, 'rate') * 1_440) / 1e6
      figures.add(`1,440 samples a transaction, ${TOGETHER} at once, ${name}`, `${samples.toFixed(2)} M/s`)
    }
    for (const store of Object.values(stores)) await store.close()
  } finally {
    await plain.stop()
    await cluster.stop()
  }
}
