/**
 * A process to be killed: it makes the calls of each number from the first on, each under its own key, and prints the responses. Arguments:
 * the engine module, the data folder, the first number, the number to stop before.
 */

import { writeSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'

const [modulePath, dataDir, first, last] = process.argv.slice(2)
const { openEngine, runOperation } = (await import(pathToFileURL(modulePath).href)).default
const engine = await openEngine({ dataDir, waitForLock: 'blocking' })
const team = await engine.localTeam()

async function call(id, key, input) {
  const reply = await runOperation(engine.context, id, {
    input: { params: {}, query: {}, body: undefined, ...input, headers: { 'x-idempotency-key': key } },
    credentials: { kind: 'team', team, linkToken: null },
    accept: '*/*',
  })
  writeSync(1, `${JSON.stringify({ key, body: reply.body })}\n`)
  return reply.body
}

for (let i = Number(first); i < Number(last); i++) {
  // each has an effect that a second run would show
  const { user_id } = await call('user.create', `user ${i}`, { body: { client_user_id: `user-${i}` } })
  const params = { user_id }
  await call('link.token', `token ${i}`, { body: { user_id } })
  await call('webhook.test', `test ${i}`, { params: { endpoint_id: process.env.ENDPOINT }, body: {} })
  const sample = { resource: 'heartrate', timestamp: '2026-11-20T08:30:00Z', value: i + 1 }
  const body = { kind: 'stream', stream: Readable.from([Buffer.from(JSON.stringify([sample]))]) }
  await call('samples.push', `push ${i}`, { params, body })
}
await engine.close()
