/**
 * A process to be killed: it runs operations, and waits for permission before and after every write about live connections, and when it
 * finds that a token set is being refreshed. Arguments: the engine module, the data folder, the time.
 */
import { subscribe } from 'node:diagnostics_channel'
import { pathToFileURL } from 'node:url'

// the fake provider must know which process sent the request
subscribe('undici:request:create', ({ request }) => request.addHeader('x-process', String(process.pid)))

const [modulePath, dataDir, startMs] = process.argv.slice(2)
const { openEngine, runOperation } = (await import(pathToFileURL(modulePath).href)).default
const time = { ms: Number(startMs), now: () => time.ms }
const engine = await openEngine({ dataDir, waitForLock: 'async', time })
const team = await engine.localTeam()

/** The calls that change something, by part of the store. */
const WRITES = {
  links: ['takeOAuthAnswer', 'connect'],
  connections: ['remove'],
  tokenSets: ['lease', 'refresh', 'release', 'remove', 'retry'],
  pulls: ['lease', 'bring', 'note', 'release', 'hasten'],
}

const leaves = new Map()
let points = 0

function leave(point) {
  const id = ++points
  return new Promise(resolve => {
    leaves.set(id, resolve)
    process.send({ id, point })
  })
}

function gated(name, part) {
  const calls = WRITES[name].map(call => {
    const run = async (...args) => {
      await leave(`before ${name}.${call}`)
      const result = await part[call](...args)
      await leave(`after ${name}.${call}`)
      return result
    }
    return [call, run]
  })
  return Object.assign(Object.create(part), Object.fromEntries(calls))
}

/** Also waits for permission after reading a token set under a lease, because only time ends the lease of a killed process. */
function gatedTokenSets(tokenSets) {
  return Object.assign(gated('tokenSets', tokenSets), {
    async find(...args) {
      const record = await tokenSets.find(...args)
      if (record?.leasedBy) await leave('found refresh')
      return record
    },
    async revoking(...args) {
      const records = await tokenSets.revoking(...args)
      if (records.some(({ leasedBy }) => leasedBy)) await leave('found refresh')
      return records
    },
  })
}

function gatedStore(store) {
  const live = Object.assign(Object.create(store.live), {
    tokenSets: gatedTokenSets(store.live.tokenSets),
    pulls: gated('pulls', store.live.pulls),
  })
  const parts = { links: gated('links', store.links), connections: gated('connections', store.connections), live }
  const auditing = entry => {
    const audited = store.auditing(entry)
    return { store: gatedStore(audited.store), isAudited: () => audited.isAudited() }
  }
  return Object.assign(Object.create(store), parts, { auditing })
}

const context = { ...engine.context, store: gatedStore(engine.context.store) }

async function run({ operation, input, linkToken }) {
  try {
    const reply = await runOperation(context, operation, {
      input: { params: {}, query: {}, body: undefined, ...input },
      credentials: { kind: 'team', team, linkToken: linkToken ?? null },
      accept: '*/*',
    })
    return { done: 'answered', answer: reply.body }
  } catch (error) {
    return { done: 'failed', answer: String(error.stack) }
  }
}

process.on('message', async message => {
  if (message.ms !== undefined) time.ms = message.ms
  if (message.leave !== undefined) leaves.get(message.leave)()
  if (message.operation !== undefined) process.send(await run(message))
})
// the test has ended
process.on('disconnect', () => process.exit(0))
process.send({ ready: true })
