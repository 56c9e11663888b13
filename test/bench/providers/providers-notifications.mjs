/** Measures the response time for notifications, and whether an acknowledged one is ever lost when the server is killed. */
import { createHmac, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { Pool } from 'undici'
import { percentile } from '../figures.mjs'
import { pause } from '../webhooks/webhooks-processes.mjs'
import { linkPerson, serve, setUp, startFakeProvider } from './providers-processes.mjs'

const MOST_P99_MS = 50
const PORT = 18_471
/** A server that has just started compiles its code, so that time is a separate figure. */
const COLD_SECONDS = 2

export async function benchNotifications(figures, { rate, seconds, kills }) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const fake = await startFakeProvider({ days: 5, rowsAPage: 1_000 })
  let server = await serve(folder, PORT)
  const { notification_url: notificationUrl } = await setUp(server, fake, { redirect_url: undefined })
  await linkPerson(server, fake, 'person-1')
  const cold = await sendFor(notificationUrl, fake, { rate, seconds: COLD_SECONDS })
  const steady = await sendFor(notificationUrl, fake, { rate, seconds })
  const p99 = percentile(steady.latencies, 0.99)
  const achieved = `${(steady.acknowledged / seconds).toFixed(0)} /s`
  figures.add(`notifications answered, ${rate}/s for ${seconds} s`, achieved)
  figures.add('  median', `${percentile(steady.latencies, 0.5).toFixed(1)} ms`)
  figures.add('  p99', `${p99.toFixed(1)} ms`, `<= ${MOST_P99_MS} ms`, p99 <= MOST_P99_MS)
  figures.add(
    `  p99 of the ${COLD_SECONDS} s before, after the start`,
    `${percentile(cold.latencies, 0.99).toFixed(1)} ms`,
  )
  let acknowledged = cold.acknowledged + steady.acknowledged
  for (let kill = 0; kill < kills; kill++) {
    const sending = sendFor(notificationUrl, fake, { rate, seconds: 1.5 })
    await pause(200 + Math.random() * 800)
    await server.end('SIGKILL')
    acknowledged += (await sending).acknowledged
    server = await serve(folder, PORT)
  }
  await server.end()
  fake.end()
  const stored = countStored(join(folder, 'data'))
  rmSync(folder, { recursive: true })
  figures.add(`acknowledged, with ${kills} kills`, `${acknowledged}`)
  figures.add('  lost', `${Math.max(0, acknowledged - stored)}`, '0', stored >= acknowledged)
}

/** Sends signed notifications at a rate. Returns how many were acknowledged, and their times in milliseconds. */
async function sendFor(notificationUrl, fake, { rate, seconds }) {
  const url = new URL(notificationUrl)
  const pool = new Pool(url.origin, { connections: 32, pipelining: 1 })
  const latencies = []
  const running = []
  const began = performance.now()
  for (let sent = 0; sent < rate * seconds; ) {
    const due = Math.min(rate * seconds, ((performance.now() - began) / 1_000) * rate)
    for (; sent < due; sent++) running.push(sendOne(pool, url.pathname, fake, latencies))
    await pause(2)
  }
  await Promise.all(running)
  await pool.destroy()
  return { acknowledged: latencies.length, latencies }
}

async function sendOne(pool, path, { clientSecret }, latencies) {
  const sentAt = String(Math.floor(Date.now() / 1_000))
  const body = JSON.stringify({
    event_type: 'update',
    data_type: 'daily_activity',
    object_id: randomUUID(),
    user_id: 'person-1',
    event_time: new Date().toISOString(),
  })
  const headers = {
    'content-type': 'application/json',
    'x-oura-timestamp': sentAt,
    'x-oura-signature': createHmac('sha256', clientSecret)
      .update(sentAt + body)
      .digest('hex')
      .toUpperCase(),
  }
  const began = performance.now()
  try {
    const response = await pool.request({ method: 'POST', path, body, headers })
    await response.body.dump()
    if (response.statusCode < 300) latencies.push(performance.now() - began)
  } catch {
    // the server was killed: the notification is not acknowledged
  }
}

function countStored(dataDir) {
  const db = new DatabaseSync(join(dataDir, 'svc.db'), { readOnly: true })
  const { n } = db.prepare('SELECT count(*) AS n FROM provider_notification').get()
  db.close()
  return n
}
