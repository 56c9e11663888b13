/** A snapshot: a whole store at one moment, made while others write, private, and without data that belongs only to the original. */
import { readdirSync, statSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import { saveSnapshot } from '../../src/cli/output/snapshot-file.ts'
import { hashSecret } from '../../src/core/ids.ts'
import { addSessionKey } from '../../src/server/session-key.ts'
import { keyHolder, newTeam } from '../engine/teams/with-key.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { type Harness, openHarness } from '../kit/harness.ts'

const open: Harness[] = []
const harness = async (dataDir?: string) => {
  const made = await openHarness(dataDir === undefined ? {} : { dataDir })
  open.push(made)
  return made
}
afterEach(async () => {
  await Promise.all(open.splice(0).map(each => each.engine.close()))
})

/** Saves a snapshot as `svc.db` in a new folder, and opens it. */
async function copied(h: Harness): Promise<Harness> {
  const folder = join(temporaryFolder(), 'copy')
  await mkdir(folder, { mode: 0o700 })
  const file = join(folder, 'svc.db')
  await h.engine.context.store.snapshots.copyTo(file, { real: h.time.ms, now: h.time.ms })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  return harness(folder)
}

/** Starts a thread that writes users into the same folder until it is stopped, with its own handle. */
function writer(dataDir: string): { stop(): Promise<number> } {
  const sqlite = fileURLToPath(import.meta.resolve('@photostructure/sqlite'))
  const code = `
    const { parentPort, workerData } = require('node:worker_threads')
    import(workerData.sqlite).then(({ DatabaseSync }) => {
      const db = new DatabaseSync(workerData.path)
      db.exec('PRAGMA busy_timeout=10000')
      const insert = db.prepare("INSERT INTO setting (name, value) VALUES (?, 'x')")
      let count = 0
      let stopped = false
      parentPort.on('message', () => { stopped = true })
      const turn = () => {
        for (let i = 0; i < 5; i++) insert.run('written ' + String(count++).padStart(9, '0'))
        if (!stopped) return void setImmediate(turn)
        db.close()
        parentPort.postMessage(count)
        parentPort.close()
      }
      turn()
    })`
  const worker = new Worker(code, { eval: true, workerData: { sqlite, path: join(dataDir, 'svc.db') } })
  return {
    stop: () =>
      new Promise((resolve, reject) => {
        worker.once('message', resolve).once('error', reject)
        worker.postMessage('stop')
      }),
  }
}

describe('a snapshot', () => {
  it('opens as a data folder, passes the check and has the same content', async () => {
    const h = await harness()
    const { user_id } = await h.call('user.create', { body: { client_user_id: 'ada' } })
    const copy = await copied(h)
    expect(await copy.call('user.get', { params: { user_id } })).toMatchObject({ client_user_id: 'ada' })
    expect(await copy.call('engine.check', {})).toMatchObject({ ok: true })
    await h.call('user.create', { body: { client_user_id: 'later' } })
    expect((await copy.call('user.list', {})).total).toBe(1)
    // the copy has its own key file
    expect(copy.engine.context.masterKey()).not.toEqual(h.engine.context.masterKey())
  })

  it('shows one moment while another process writes, and does not delay it', async () => {
    const h = await harness()
    const writing = writer(h.dataDir)
    const copies: Harness[] = []
    for (let i = 0; i < 3; i++) copies.push(await copied(h))
    const written = await writing.stop()
    expect(written).toBeGreaterThan(0)
    for (const copy of copies) {
      expect(await copy.call('engine.check', {})).toMatchObject({ ok: true, problem_count: 0 })
    }
    expect(await h.call('engine.check', {})).toMatchObject({ ok: true })
  })

  it('includes team keys, but not the keys of running servers', async () => {
    const h = await harness()
    const { api_key } = await newTeam(h, 'acme')
    const session = await addSessionKey(h.engine, null)
    const copy = await copied(h)
    expect((await keyHolder(copy, api_key).reply('user.list')).status).toBe(200)
    expect((await keyHolder(copy, session.key).refusal('user.list')).code).toBe('invalid_api_key')
    expect((await keyHolder(h, session.key).reply('user.list')).status).toBe(200)
    expect(await copy.engine.context.store.teams.keyOf(hashSecret(session.key))).toMatchObject({
      revokedAt: expect.any(Number),
    })
  })

  it('leaves nothing behind when it is read, or when it cannot be written', async () => {
    const h = await harness()
    const { runOperation } = await import('../../src/engine/engine.ts')
    const credentials = { kind: 'team', team: h.team, linkToken: null } as const
    const request = { input: { params: {}, query: {}, body: undefined }, credentials, accept: '*/*' }
    const reply = await runOperation(h.engine.context, 'engine.snapshot', request)
    if (reply.kind !== 'bytes' || reply.bytes instanceof Uint8Array) throw new Error('bytes were expected')
    const file = join(temporaryFolder(), 'backup.db')
    const saved = await saveSnapshot(file, reply.bytes, { mayReplace: false, onBytes: () => {} })
    expect(saved).toEqual({ file, bytes: statSync(file).size })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(h.engine.folder.scratch)).toEqual([])
    await expect(h.engine.context.store.snapshots.copyTo(join(file, 'x'), { real: 0, now: 0 })).rejects.toMatchObject({
      code: 'data_folder',
    })
    const again = async function* () {
      yield Buffer.from('half of something')
    }
    await expect(saveSnapshot(file, again(), { mayReplace: true, onBytes: () => {} })).rejects.toMatchObject({
      code: 'bad_response',
    })
    expect(statSync(file).size).toBe(saved.bytes)
    await rename(file, `${file}.kept`)
  })
})
