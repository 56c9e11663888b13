/** Console sessions in the store: how they end, and that none leaves the store or is restored. */
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/store/port.ts'
import { tablesOfLife } from '../../src/store/tables/catalogue.ts'
import { IS_ON_POSTGRES, storeOptions } from '../kit/postgres/database.ts'
import { newStore } from '../kit/store/new-store.ts'
import { newFolder, openFolder, runCopy } from './copy/stores.ts'
import { storeWithUser, TEAM } from './user-store.ts'

const NOW = Date.UTC(2026, 10, 20)
const KEY = '00000000-0000-4000-8000-00000000000a'
const OWNER = { teamId: TEAM, keyId: null, personId: null }
const hash = (digit: string) => digit.repeat(64)

async function filled(): Promise<{ store: Store; dataDir: string }> {
  const dataDir = await newStore()
  const store = await storeWithUser(dataDir)
  await store.teams.addKey({
    keyId: KEY,
    teamId: TEAM,
    hash: hash('f'),
    prefix: 'sk_us_…',
    label: 'laptop',
    isOperator: false,
    createdOn: NOW,
    lastUsedAt: null,
    revokedAt: null,
  })
  await add(store, 'a')
  await add(store, 'b', KEY)
  await store.console.addToken({ ...OWNER, hash: hash('c'), expiresAt: NOW + 1 })
  return { store, dataDir }
}

async function add(store: Store, digit: string, keyId: string | null = null, at = NOW): Promise<void> {
  const times = { createdAt: at, lastSeenAt: at }
  await store.console.addSession({ ...OWNER, keyId, hash: hash(digit), ...times, browser: '' })
}

async function present(store: Store, ...digits: readonly string[]): Promise<string> {
  const found = await Promise.all(digits.map(async each => ((await store.console.holderOf(hash(each))) ? each : '')))
  return found.join('')
}

describe('a session in the store', () => {
  it('acts for its key or for the owner of the data folder', async () => {
    const { store } = await filled()
    const [owner, ofKey] = [await store.console.holderOf(hash('a')), await store.console.holderOf(hash('b'))]
    expect(owner).toMatchObject({ team: { teamId: TEAM }, key: null, session: { keyId: null, createdAt: NOW } })
    expect(ofKey).toMatchObject({ key: { label: 'laptop', isOperator: false }, session: { keyId: KEY } })
    await store.teams.revokeKey(KEY, NOW)
    expect(await present(store, 'a', 'b')).toBe('a')
    await store.close()
  })

  it('is removed once it has ended, with unused tokens and the sessions of revoked keys', async () => {
    const { store } = await filled()
    await add(store, 'd', null, NOW - 100)
    await store.console.noteSeen(hash('a'), NOW + 50)
    await store.teams.revokeKey(KEY, NOW)
    const ends = { createdBefore: NOW - 50, seenBefore: NOW + 10, expiredBefore: NOW + 2 }
    expect(await store.console.removeEnded(ends)).toBe(3)
    expect(await store.console.removeEnded(ends)).toBe(0)
    expect(await present(store, 'a', 'b', 'd')).toBe('a')
    await store.close()
  })

  it('ends everywhere for one key or owner, whose tokens then no longer work', async () => {
    const { store } = await filled()
    await store.console.removeAllOf(OWNER)
    expect(await present(store, 'a', 'b')).toBe('b')
    expect(await store.console.takeToken(hash('c'), NOW)).toBeNull()
    await store.console.removeAllOf({ ...OWNER, keyId: KEY })
    expect(await present(store, 'b')).toBe('')
    await store.close()
  })

  it('is not in any copy of the store', async () => {
    const { store, dataDir } = await filled()
    await store.close()
    const to = newFolder()
    await runCopy(storeOptions(dataDir).store ?? dataDir, to)
    const target = await openFolder(to)
    const copied = target.context.store
    expect(await present(copied, 'a', 'b')).toBe('')
    expect(await copied.console.takeToken(hash('c'), NOW)).toBeNull()
    await target.close()
  })

  it.skipIf(IS_ON_POSTGRES)('is in no snapshot, and stays when one is restored or the store is reset', async () => {
    const { store, dataDir } = await filled()
    const moment = { now: NOW, real: NOW }
    await store.snapshots.save('base', moment, false)
    const db = new DatabaseSync(join(dataDir, 'snapshots', 'base.db'), { readOnly: true })
    for (const { name } of tablesOfLife('session')) {
      expect(db.prepare(`SELECT count(*) AS n FROM ${name}`).get()).toEqual({ n: 0 })
    }
    db.close()
    await add(store, 'd')
    await store.console.remove(hash('a'))
    await store.snapshots.restore('base')
    expect(await present(store, 'a', 'b', 'd')).toBe('bd')
    await store.snapshots.reset()
    expect(await present(store, 'a', 'b', 'd')).toBe('bd')
    await store.close()
  })
})
