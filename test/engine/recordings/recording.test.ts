/** Recording the engine's input, and replaying it to the same IDs and bytes. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { operationIds, operations } from '../../../src/contract/operations.ts'
import { isAudited } from '../../../src/engine/audit/audit.ts'
import { isRecorded, NOT_RECORDED } from '../../../src/engine/recordings/recorded-operations.ts'
import { READER_LIFE_MS } from '../../../src/engine/recordings/recording.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'
import { newUser } from '../orders/orders.ts'
import { Recorder, recordingFile, replayed, seen } from './recording-tools.ts'

const open: Harness[] = []
async function harness(chance = 'harness'): Promise<Harness> {
  const opened = await openHarness({ chance })
  open.push(opened)
  return opened
}
afterEach(async () => {
  for (const each of open.splice(0)) await each.engine.close()
})

const bytes = (body: unknown) => ({
  kind: 'stream' as const,
  stream: Readable.from([Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))]),
})
const push = (h: Harness, user_id: string, value: number, hour = '10') =>
  h.call('samples.push', {
    params: { user_id },
    body: bytes([{ resource: 'steps', timestamp: `2026-11-19T${hour}:00:00Z`, value }]),
  })

/** Returns the entries of a recording, without its initial state and its end. */
function parseEntries(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter(line => line.startsWith('{"number"'))
    .map(line => JSON.parse(line) as Record<string, unknown>)
}

/** Records a user with two pushes. Returns the recording and the resulting data. */
async function recorded(): Promise<{ readonly text: string; readonly original: Harness }> {
  const original = await harness()
  await original.call('clock.set', { body: { freeze: true } })
  const recorder = await Recorder.start(original)
  const user_id = await newUser(original)
  await push(original, user_id, 100)
  original.time.ms += 60_000
  await push(original, user_id, 200)
  return { text: await recorder.stop(), original }
}

describe('a recording', () => {
  it('replays to the same IDs and bytes in a new folder', async () => {
    const original = await harness()
    await original.call('clock.set', { body: { freeze: true } })
    const recorder = await Recorder.start(original)
    const user_id = await newUser(original)
    original.time.ms += 1234
    await push(original, user_id, 120)
    const { link_token: linkToken } = await original.call('link.token', { body: { user_id } })
    const params = { provider: 'whoop' }
    const body = { username: 'mfa-sms@sandbox.test', password: 'hunter2' }
    await original.call('link.password', { params, body }, { linkToken })
    await original.call('link.complete_mfa', { params, body: { mfa_code: '999999' } }, { linkToken })
    await original.call('link.complete_mfa', { params, body: { mfa_code: '123456' } }, { linkToken })
    await original.call('clock.set', { body: { advance: '2d' } })
    await original.call('user.refresh', { params: { user_id } })
    const text = await recorder.stop()
    const copy = await replayed(text)
    open.push(copy)
    expect(await copy.call('clock.get', {})).toMatchObject({ frozen: true })
    expect(await seen(copy)).toEqual(await seen(original))
    expect(await copy.call('engine.check', {})).toMatchObject({ ok: true })
  })

  it('of a store that was reset before also replays to the same IDs', async () => {
    const original = await harness()
    await newUser(original)
    await original.call('engine.reset', { body: { confirm: 'reset' } })
    await original.call('clock.set', { body: { freeze: true } })
    const recorder = await Recorder.start(original)
    await push(original, await newUser(original), 120)
    const copy = await replayed(await recorder.stop())
    open.push(copy)
    expect(await seen(copy)).toEqual(await seen(original))
  })

  it('contains no password, code or API key', async () => {
    const original = await harness()
    const recorder = await Recorder.start(original)
    const user_id = await newUser(original)
    const { link_token: linkToken } = await original.call('link.token', { body: { user_id } })
    const params = { provider: 'whoop' }
    const body = { username: 'mfa-sms@sandbox.test', password: 'hunter2' }
    await original.call('link.password', { params, body }, { linkToken })
    await original.call('link.complete_mfa', { params, body: { mfa_code: '765432' } }, { linkToken })
    const made = await original
      .call('engine.run_due', {})
      .then(() =>
        original.call('team.create', { body: { name: 'other', environment: 'sandbox', region: 'us' } } as never),
      )
    const { api_key } = made as { api_key: string }
    const text = await recorder.stop()
    for (const secret of ['hunter2', '765432', api_key]) expect(text).not.toContain(secret)
    // nor the random bytes from which the key was made
    const [team] = parseEntries(text).filter(each => 'teams' in each)
    expect(team).toBeDefined()
    expect(team).not.toHaveProperty('chance')
    const copy = await replayed(text)
    open.push(copy)
    expect((await copy.call('team.list', {})).teams.map(each => each.name)).toEqual(['local', 'other'])
  })

  it('starts with the existing state', async () => {
    const original = await harness()
    await original.call('clock.set', { body: { freeze: true } })
    const user_id = await newUser(original)
    await push(original, user_id, 100)
    const recorder = await Recorder.start(original)
    await push(original, user_id, 200, '11')
    const text = await recorder.stop()
    expect(parseEntries(text).filter(each => 'operation' in each)).toHaveLength(1)
    const copy = await replayed(text)
    open.push(copy)
    expect(await seen(copy)).toEqual(await seen(original))
  })

  it('contains only changes, each with its line in order, and due work', async () => {
    const original = await harness()
    const recorder = await Recorder.start(original)
    const user_id = await newUser(original)
    await original.refusal('user.create', { body: { client_user_id: 'ada' } })
    await original.call('user.get', { params: { user_id } })
    await original.call('user.delete', { params: { user_id } })
    await original.call('clock.set', { body: { advance: '8d' } })
    await original.call('engine.run_due', {})
    const entries = parseEntries(await recorder.stop())
    expect(entries.map(each => each['operation'] ?? (each['due'] as { kind: string }).kind)).toEqual([
      'user.create',
      'user.delete',
      'clock.set',
      'purge',
    ])
    expect(entries.map(each => each['number'])).toEqual([1, 2, 3, 4])
  })

  it('keeps the bytes of uploads, and removes its own copies of them', async () => {
    const original = await harness()
    const user_id = await newUser(original)
    const recorder = await Recorder.start(original)
    // more than one piece
    const filler = ' '.repeat(1 << 20)
    const line = JSON.stringify({
      resource: 'steps',
      timestamp: '2026-11-19T10:00:00Z',
      value: 7,
      provider: 'oura',
      source_type: 'ring',
    })
    const report = await original.call('import.create', {
      params: { user_id },
      query: {},
      body: recordingFile(`${line}\n${filler}\n${filler}\n`),
    })
    expect(report.stored).toMatchObject({ steps: { samples: 1 } })
    const text = await recorder.stop()
    expect(parseEntries(text).filter(each => 'upload' in each)).toHaveLength(3)
    expect(readdirSync(join(original.dataDir, 'scratch'))).toEqual([])
    const copy = await replayed(text)
    open.push(copy)
    expect((await copy.call('import.list', { query: { user_id } })).imports[0]?.import_id).toBe(report.import_id)
    expect(readdirSync(join(copy.dataDir, 'scratch'))).toEqual([])
  })

  it('is removed from the store once it has been read completely', async () => {
    const { original } = await recorded()
    expect(await original.call('recording.get', {})).toEqual({ recording_id: null, entries: 0 })
    const database = readFileSync(join(original.dataDir, 'svc.db')).toString('latin1')
    expect(database).not.toContain('"operation":"samples.push"')
  })

  it('ends by itself if nobody reads it for a minute', async () => {
    const original = await harness()
    const recorder = await Recorder.start(original)
    await newUser(original, 'before')
    original.time.ms += READER_LIFE_MS + 1
    await newUser(original, 'after')
    expect(await original.call('recording.get', {})).toMatchObject({ recording_id: null })
    expect(await recorder.take()).toBe(1)
    await expect(recorder.take()).rejects.toMatchObject({ code: 'not_found' })
    // and does not block another one
    const next = await Recorder.start(original)
    expect(parseEntries(await next.stop())).toEqual([])
  })

  it('continues while it is read', async () => {
    const original = await harness()
    const recorder = await Recorder.start(original)
    for (let i = 0; i < 5; i++) {
      original.time.ms += READER_LIFE_MS - 1_000
      await recorder.take()
    }
    await newUser(original)
    expect(parseEntries(await recorder.stop())).toHaveLength(1)
  })

  it('ends when the store is reset', async () => {
    const original = await harness()
    const recorder = await Recorder.start(original)
    await original.call('engine.reset', { body: { confirm: 'reset' } })
    await expect(recorder.take()).rejects.toMatchObject({ code: 'not_found' })
  })

  it('is not part of a restored snapshot that was taken during it', async () => {
    const original = await harness()
    const recorder = await Recorder.start(original)
    await newUser(original)
    await original.call('snapshot.save', { body: { name: 'base' } })
    await original.call('snapshot.restore', { params: { name: 'base' } })
    expect(await original.call('recording.get', {})).toMatchObject({ recording_id: null })
    expect(recorder.recordingId).not.toBe('')
  })

  it('can only run once at a time', async () => {
    const original = await harness()
    const recorder = await Recorder.start(original)
    expect((await original.refusal('recording.start', {})).code).toBe('conflict')
    await recorder.stop()
    await Recorder.start(original)
  })

  it('keeps the order of simultaneous changes', async () => {
    const original = await harness()
    await original.call('clock.set', { body: { freeze: true } })
    const users = await Promise.all(['a', 'b', 'c'].map(name => newUser(original, name)))
    const recorder = await Recorder.start(original)
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => push(original, users[i % 3] as string, i, String(i % 5).padStart(2, '0'))),
    )
    const text = await recorder.stop()
    expect(parseEntries(text).filter(each => 'operation' in each)).toHaveLength(30)
    const copy = await replayed(text)
    open.push(copy)
    expect(await seen(copy)).toEqual(await seen(original))
  })

  it('contains events that nothing else in it causes', async () => {
    const original = await harness()
    await original.call('clock.set', { body: { freeze: true } })
    const recorder = await Recorder.start(original)
    const user_id = await newUser(original)
    const { teamId } = original.team
    await original.engine.context.store.events.emit(user_id as never, {
      teamId,
      type: 'daily.data.steps.created',
      data: { of: 'a test' },
      at: original.time.ms,
      endpointIds: null,
    })
    await push(original, user_id, 100)
    const copy = await replayed(await recorder.stop())
    open.push(copy)
    expect(await seen(copy)).toEqual(await seen(original))
  })

  it('includes test data: seeded people, and events on demand', async () => {
    const original = await harness()
    await original.call('clock.set', { body: { freeze: true } })
    const recorder = await Recorder.start(original)
    await original.call('engine.seed', { body: { people: 1, days: 2, seed: 42 } } as never)
    const user_id = await newUser(original)
    await original.call('event.trigger', { body: { type: 'daily.data.steps.created', user_id } } as never)
    const text = await recorder.stop()
    expect(parseEntries(text).map(each => each['operation'])).toEqual(['engine.seed', 'user.create', 'event.trigger'])
    const copy = await replayed(text)
    open.push(copy)
    expect(await seen(copy)).toEqual(await seen(original))
  })
})

describe('a replay', () => {
  const lines = (text: string): string[] => text.trimEnd().split('\n')
  const isEmpty = async (h: Harness) => (await h.call('user.list', { query: {} })).total === 0

  it('reports its results', async () => {
    const { text, original } = await recorded()
    const copy = await harness()
    const report = await copy.call('recording.replay', { body: recordingFile(text) })
    const clock = await original.call('clock.get', {})
    expect(report).toMatchObject({ entries: 3, calls: 3, due_work: 0, users: 1, clock: clock.now, complete: true })
  })

  it('accepts a recording that breaks off after a complete entry', async () => {
    const { text } = await recorded()
    const copy = await harness()
    const cut = `${lines(text).slice(0, -1).join('\n')}\n`
    expect(await copy.call('recording.replay', { body: recordingFile(cut) })).toMatchObject({
      entries: 3,
      complete: false,
    })
  })

  it('refuses a store with data, and leaves it unchanged', async () => {
    const { text, original } = await recorded()
    const before = await seen(original)
    expect((await original.refusal('recording.replay', { body: recordingFile(text) })).message).toMatch(/not empty/)
    expect(await seen(original)).toEqual(before)
  })

  it.each([
    [
      'a line that is no JSON',
      (all: string[]) => [...all.slice(0, -2), '{"number":3,', ...all.slice(-1)],
      /^Line \d+ /,
    ],
    ['a line that was taken out', (all: string[]) => all.filter(each => !each.startsWith('{"number":2')), /^Line \d+ /],
    [
      'an upload that was taken out',
      (all: string[]) => all.filter(each => !/^\{"number":3,"upload"/.test(each)),
      /^Line /,
    ],
    ['a state that is cut', (all: string[]) => all.filter(each => !each.startsWith('{"base"')), /^Line /],
    [
      'a state that is damaged',
      (all: string[]) =>
        all.map(each => (each.startsWith('{"base"') ? each.replace(/.{40}"\}$/, `${'A'.repeat(40)}"}`) : each)),
      /^Line /,
    ],
    ['lines comes after the end', (all: string[]) => [...all, all.at(-1) as string], /comes after t/],
    [
      'another operation',
      (all: string[]) => all.map(each => each.replace('samples.push', 'key.create')),
      /not replayed/,
    ],
    [
      'a later form',
      (all: string[]) => [(all[0] as string).replace('"svc_recording":1', '"svc_recording":2'), ...all.slice(1)],
      /format 2/,
    ],
    ['something else', () => ['{"resource":"steps"}'], /not a recording/],
    ['nothing', () => [''], /not a recording/],
  ])('refuses %s, and changes nothing', async (_, damage, says) => {
    const { text } = await recorded()
    const copy = await harness()
    const refusal = await copy.refusal('recording.replay', { body: recordingFile(damage(lines(text)).join('\n')) })
    expect(refusal.code).toBe('invalid_file')
    expect(refusal.message).toMatch(says)
    expect(await isEmpty(copy)).toBe(true)
    expect(readdirSync(join(copy.dataDir, 'scratch'))).toEqual([])
  })

  it('refuses a recording that would end in a different state', async () => {
    const { text } = await recorded()
    const copy = await harness()
    const twice = lines(text).map(each => each.replace('"operation":"samples.push"', '"operation":"user.create"'))
    const refusal = await copy.refusal('recording.replay', { body: recordingFile(twice.join('\n')) })
    expect(refusal.code).toBe('conflict')
    expect(refusal.message).toMatch(/Entry 2 of the recording \(user\.create\) ended as invalid_request now/)
    expect(await isEmpty(copy)).toBe(true)
  })

  it('keeps the valid API keys', async () => {
    const { text } = await recorded()
    const copy = await harness('another')
    const { teamId } = copy.team
    await copy.call('key.create', { params: { team_id: teamId }, body: { label: 'of a test' } } as never)
    await copy.call('recording.replay', { body: recordingFile(text) })
    const { keys } = await copy.call('key.list', { query: {} })
    expect(keys.map(each => each.label)).toEqual(['of a test'])
    expect(keys[0]?.team_id).not.toBe(teamId)
  })
})

describe('the set of recorded operations', () => {
  it('includes every change except for the listed ones', () => {
    const changing = operationIds.filter(id => isAudited(operations[id]))
    const left = changing.filter(id => !isRecorded(id))
    for (const name of NOT_RECORDED) {
      const isThere = (id: string) => (name.endsWith('.*') ? id.startsWith(name.slice(0, -1)) : id === name)
      expect(operationIds.filter(isThere), name).not.toEqual([])
    }
    // operations with a user in the path are about its data
    expect(left.filter(id => operations[id].path.includes('{user_id}'))).toEqual([])
  })
})
