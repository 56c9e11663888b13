/** The processes of the webhook benchmark: a sink, a server that delivers, and a data folder with users, endpoints and events. */
import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { root } from '../bundle.mjs'

const script = name => join(root, 'test', 'bench', 'webhooks', name)

/** Starts a sink. Returns its URL, a function that reports what it received, and one that ends it. */
export async function startSink(failing = 0) {
  const child = spawn(process.execPath, [script('webhooks-sink.mjs'), `${failing}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const waiting = []
  createInterface({ input: child.stdout }).on('line', line => waiting.shift()?.(line))
  const line = () => new Promise(resolve => waiting.push(resolve))
  const port = await line()
  return {
    url: `http://127.0.0.1:${port}`,
    async report() {
      const response = line()
      child.stdin.write('\n')
      return JSON.parse(await response)
    },
    close: () => child.kill('SIGKILL'),
  }
}

/** Starts a server on the folder. It appends its resident bytes to `memory` every half second. */
export async function startServe(engine, folder) {
  const child = spawn(process.execPath, [script('webhooks-serve.mjs'), engine.path, folder], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const memory = []
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    errors = (errors + text).slice(-10_000)
  })
  const ended = new Promise(resolve => child.on('close', resolve))
  await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', line => {
      if (line === 'ready') resolve()
      else memory.push(Number(line))
    })
    void ended.then(() => reject(new Error(`the server ended: ${errors}`)))
  })
  return {
    memory,
    async kill(signal) {
      child.kill(signal)
      await ended
    },
  }
}

const PAYLOAD = { message: 'The password was changed at the provider.', note: 'x'.repeat(300) }

/** Starts an engine in a new folder with users and endpoints. */
export async function fill(engine, { users, urls, concurrency = 10 }) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-webhooks-'))
  const opened = await engine.openEngine({ dataDir: folder, waitForLock: 'async' })
  const team = await opened.localTeam()
  const call = async (id, input) => {
    const request = { input: { params: {}, query: {}, ...input }, accept: 'application/json' }
    const credentials = { kind: 'team', team, linkToken: null }
    return (await engine.runOperation(opened.context, id, { ...request, credentials })).body
  }
  const userIds = []
  for (let i = 0; i < users; i++) {
    userIds.push((await call('user.create', { body: { client_user_id: `bench-${i}` } })).user_id)
  }
  for (const url of urls) await call('webhook.create', { body: { url, concurrency } })
  return {
    folder,
    call,
    store: opened.context.store,
    /** Creates this many events, cycling through the users. */
    async events(count) {
      const at = Date.now()
      for (let done = 0; done < count; done += 256) {
        const some = Array.from({ length: Math.min(256, count - done) }, (_, i) => {
          const event = { teamId: team.teamId, type: 'provider.connection.error', data: PAYLOAD, at, endpointIds: null }
          return opened.context.store.events.emit(userIds[(done + i) % users], event)
        })
        await Promise.all(some)
      }
    },
    close: () => opened.close(),
  }
}

export const pause = ms => new Promise(resolve => setTimeout(resolve, ms))
