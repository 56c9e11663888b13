/** Times pushes, large writes, scans and pages of the store, each compared with bare SQL for the same work. */
import { median, percentile } from '../figures.mjs'
import { DAY, HEART, MINUTE, minuteBatches, START, TEAM, writing } from '../samples/samples-store.mjs'
import { connected, openBare, pushBare } from './store-bare.mjs'
import { createUsers, freshDatabase, openStore, userAt } from './store-databases.mjs'

const DAY_SAMPLES = 1_440
const USERS = 32

/** Returns a sample at a minute of the first day, shifted so that it is new. */
const oneSample = i => ({
  series: HEART,
  n: 1,
  start: Float64Array.of(START + ((i * 997) % DAY_SAMPLES) * MINUTE + 1_000 * (1 + Math.floor(i / DAY_SAMPLES))),
  end: null,
  value: Float64Array.of(60 + (i % 90)),
  second: null,
  offset: null,
  text: new Map(),
})

/** One push after the other: a sample into a day that already has some, with its event. */
export async function benchPush(engine, figures, { url, pushes }) {
  const database = await freshDatabase(url)
  const store = await openStore(engine, database.url)
  await createUsers(store, 1)
  const [user] = [userAt(0)]
  await openBare(database.url, 1, userAt)
  const bare = await connected(database.url)
  const [day] = minuteBatches(1, 240)
  const data = engine.encodeChunk(day)
  const sample = engine.encodeChunk(oneSample(0))
  await store.data.write(user, writing([day]))
  const [ours, theirs, roundTrips] = [[], [], []]
  for (let i = 0; i < pushes; i++) {
    await store.positioned()
    const before = store.upkeep.wire().roundTrips
    let began = performance.now()
    await store.data.write(user, writing([oneSample(i % 500)].map(each => ({ ...each, value: Float64Array.of(i) }))))
    ours.push(performance.now() - began)
    roundTrips.push(store.upkeep.wire().roundTrips - before)
    began = performance.now()
    await pushBare(bare, { userId: user, chunks: [{ start: START, n: 240, data }], event: sample, sequence: i + 1 })
    theirs.push(performance.now() - began)
  }
  await bare.end()
  await store.close()
  await database.drop()
  const warm = values => values.slice(pushes / 5)
  const p50 = median(warm(ours))
  figures.add('one push of samples with its event, p50', `${p50.toFixed(2)} ms`, '≤ 1.2 ms', p50 <= 1.2)
  figures.add('  p99', `${percentile(warm(ours), 0.99).toFixed(2)} ms`)
  figures.add('  bare SQL of the same work, p50', `${median(warm(theirs)).toFixed(2)} ms`)
  const most = median(warm(roundTrips))
  figures.add('  round trips', `${most}`, '≤ 2', most <= 2)
}

/** Writes days of samples, `each` of them in a transaction, of 32 users at once. */
export async function benchRate(engine, figures, { url, samples, each, least, what }) {
  const database = await freshDatabase(url)
  const store = await openStore(engine, database.url)
  await createUsers(store, USERS)
  await openBare(database.url, USERS, userAt)
  const clients = await Promise.all(Array.from({ length: 16 }, () => connected(database.url)))
  const perUser = Math.max(2, Math.ceil(samples / DAY_SAMPLES / each / USERS))
  const days = minuteBatches(perUser * each, DAY_SAMPLES)
  const packed = days.map(day => ({ start: day.start[0], n: DAY_SAMPLES, data: engine.encodeChunk(day) }))
  const turns = Array.from({ length: perUser }, (_, i) => i * each)
  const joined = turns.map(from => joinDays(days.slice(from, from + each)))
  const written = perUser * each * DAY_SAMPLES * USERS
  const ours = await rateOf(written, USERS, async number => {
    for (const batch of joined) await store.data.write(userAt(number), writing([batch]))
  })
  const theirs = await rateOf(written, 16, async number => {
    for (let user = number; user < USERS; user += 16)
      for (const [i, from] of turns.entries()) {
        const chunks = packed.slice(from, from + each)
        const event = Buffer.concat(chunks.map(({ data }) => data))
        await pushBare(clients[number], { userId: userAt(user), chunks, event, sequence: i + 1 })
      }
  })
  await Promise.all(clients.map(client => client.end()))
  await store.close()
  await database.drop()
  figures.add(what, `${(ours / 1e6).toFixed(2)} M/s`, `≥ ${least} M/s`, ours >= least * 1e6)
  figures.add('  bare SQL of the same work', `${(theirs / 1e6).toFixed(2)} M/s`)
}

/** Returns samples a second. */
async function rateOf(samples, workers, work) {
  const began = performance.now()
  await Promise.all(Array.from({ length: workers }, (_, number) => work(number)))
  return samples / ((performance.now() - began) / 1000)
}

function joinDays(days) {
  const n = days.length * DAY_SAMPLES
  const columns = name =>
    Float64Array.from({ length: n }, (_, i) => days[Math.floor(i / DAY_SAMPLES)][name][i % DAY_SAMPLES])
  return { ...days[0], n, start: columns('start'), value: columns('value'), offset: new Int32Array(n).fill(3600) }
}

/** Adds up a chunk as aggregate queries do: by its codes, without unpacking them, if it has any. */
function sumOf(columns, packing) {
  const { n } = columns
  const codes = packing?.codes?.codes
  // reading `value` unpacks the values
  const numbers = codes ?? columns.value
  let sum = 0
  for (let i = 0; i < n; i++) sum += numbers[i]
  return codes ? packing.codes.base * n + sum / packing.codes.scale : sum
}

const PAGE =
  'SELECT * FROM "user" WHERE team_id=$1 AND deleted_at IS NULL ORDER BY created_on DESC, user_id LIMIT 100 OFFSET $2'

/** Scans all samples of a user and reads a page of users. */
export async function benchReads(engine, figures, { url, samples, users }) {
  const database = await freshDatabase(url)
  const store = await openStore(engine, database.url)
  await createUsers(store, users)
  const user = userAt(0)
  const days = Math.ceil(samples / DAY_SAMPLES)
  // values that need 16 bits each
  const batches = minuteBatches(days, DAY_SAMPLES).map((batch, i) => ({
    ...batch,
    value: batch.value.map((_, k) => ((i * 7_919 + k * 104_729) % 60_000) / 1),
  }))
  for (let from = 0; from < days; from += 16)
    await store.data.write(user, writing([joinDays(batches.slice(from, from + 16))]))
  const query = { resource: 'heartrate', provider: null, from: START, to: START + (days + 1) * DAY }
  const scans = []
  for (let run = 0; run < 9; run++) {
    const began = performance.now()
    let n = 0
    const byDay = new Map()
    for await (const { columns, packing } of store.samples.scan(user, query)) {
      byDay.set(n / DAY_SAMPLES, sumOf(columns, packing))
      n += columns.n
    }
    scans.push(performance.now() - began)
    if (n !== days * DAY_SAMPLES) throw new Error(`a scan of ${n} samples`)
  }
  const bare = await connected(database.url)
  const bytes = []
  for (let run = 0; run < 9; run++) {
    const began = performance.now()
    await bare.query('SELECT data FROM chunk WHERE user_id=$1 AND series_id=1 ORDER BY chunk_start', [user])
    bytes.push(performance.now() - began)
  }
  const total = days * DAY_SAMPLES
  const scan = (median(scans) / total) * 1e7
  figures.add(
    `10 M 16-bit samples by day (from ${(total / 1e6).toFixed(1)} M)`,
    `${scan.toFixed(0)} ms`,
    '≤ 100 ms',
    scan <= 100,
  )
  figures.add('  bare SELECT of the same blobs', `${((median(bytes) / total) * 1e7).toFixed(0)} ms`)
  const { rows } = await bare.query(
    'SELECT relname AS name, pg_total_relation_size(oid) AS bytes FROM pg_class WHERE relname IN ($1, $2, $3)',
    ['chunk', 'outbox', 'user'],
  )
  const bytesOf = table => Number(rows.find(({ name }) => name === table).bytes)
  figures.add('  bytes a sample: chunks, with their index', (bytesOf('chunk') / total).toFixed(2))
  figures.add(
    '  bytes a sample: events of 23,040 samples each, with their indexes',
    (bytesOf('outbox') / total).toFixed(2),
  )
  figures.add('  bytes a user without data: the row and its indexes', (bytesOf('user') / users).toFixed(0))
  for (const [where, offset, most] of [
    ['first', 0, 1],
    ['middle', users / 2, null],
  ]) {
    const [pages, bares] = [[], []]
    for (let run = 0; run < 100; run++) {
      let began = performance.now()
      const page = await store.users.list(TEAM, offset, 100)
      pages.push(performance.now() - began)
      if (page.users.length !== 100) throw new Error(`a page of ${page.users.length} users`)
      began = performance.now()
      await bare.query({ name: 'page', text: PAGE, values: [TEAM, offset] })
      bares.push(performance.now() - began)
    }
    const page = median(pages)
    const reach = most === null ? [] : [`≤ ${most} ms`, page <= most]
    figures.add(`the ${where} page of 100 users among ${users}`, `${page.toFixed(2)} ms`, ...reach)
    figures.add('  bare SELECT of the same rows', `${median(bares).toFixed(2)} ms`)
  }
  await bare.end()
  await store.close()
  await database.drop()
}
