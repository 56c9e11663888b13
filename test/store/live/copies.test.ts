/** Token sets when a store is saved, restored, reset, purged or copied: they never leave it, and none is restored. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../src/core/time.ts'
import { copyRows } from '../../../src/store/copy/copy-rows.ts'
import { openFolderSource, openFolderTarget } from '../../../src/store/copy/sqlite-side.ts'
import type { Store } from '../../../src/store/port.ts'
import { tablesOfLife } from '../../../src/store/tables/catalogue.ts'
import { storeOptions } from '../../kit/postgres/database.ts'
import { newStore } from '../../kit/store/new-store.ts'
import { findProblems, interrupted, newFolder, openFolder, runCopy } from '../copy/stores.ts'
import { openStore, storeWithUser, TEAM, USER } from '../user-store.ts'
import { AT, fillLive, heartrateIn, KEY, link, NOW, PROVIDER, SEALED } from './live-store.ts'

const MOMENT = { now: AT, real: NOW }
// people and their passkeys stay in a store, too, but have nothing to do with providers
const TOKEN_SET_TABLES = tablesOfLife('staying').flatMap(({ name }) => (name.startsWith('console_') ? [] : [name]))
const LIVE_TABLES = [...TOKEN_SET_TABLES, 'live_connection', 'live_record']

async function filledStore(): Promise<{ store: Store; dataDir: string }> {
  const dataDir = await newStore()
  const store = await storeWithUser(dataDir)
  await fillLive(store)
  return { store, dataDir }
}

function countsIn(file: string): Record<string, number> {
  const db = new DatabaseSync(file, { readOnly: true })
  const counts = LIVE_TABLES.map(table => {
    const { n } = db.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }
    return [table, n] as const
  })
  db.close()
  return Object.fromEntries(counts)
}

const tokenIn = async (store: Store) => {
  const tokenSet = await store.live.tokenSets.find(USER, PROVIDER)
  return tokenSet && { id: tokenSet.grantId, state: tokenSet.state, sealed: Buffer.from(tokenSet.sealed).toString() }
}

describe('a copy of the store', () => {
  it('has connections and records, but no token set and no byte of an encrypted value', async () => {
    const { store } = await filledStore()
    const copy = join(await newStore(), 'copy.db')
    await store.snapshots.copyTo(copy, MOMENT)
    const none = Object.fromEntries(TOKEN_SET_TABLES.map(table => [table, 0]))
    expect(countsIn(copy)).toEqual({ ...none, live_connection: 1, live_record: 1 })
    expect(readFileSync(copy).includes(SEALED)).toBe(false)
    await store.close()
  })
})

describe('a saved snapshot', () => {
  it('keeps the current token sets when it is restored, and restores none', async () => {
    const { store, dataDir } = await filledStore()
    await store.snapshots.save('base', MOMENT, false)
    expect(readFileSync(join(dataDir, 'snapshots', 'base.db')).includes(SEALED)).toBe(false)
    await link(store, 'grant-2')
    await store.snapshots.restore('base')
    expect(await tokenIn(store)).toEqual({ id: 'grant-2', state: 'active', sealed: 'sealed-grant-2' })
    expect(await store.live.oauthApps.find(TEAM, PROVIDER)).not.toBeNull()
    expect((await store.connections.ofUsers([USER])).get(USER)).toMatchObject([{ isLive: true }])
    await store.live.tokenSets.remove({ ...KEY, grantId: 'grant-2' })
    await store.snapshots.restore('base')
    expect(await store.live.tokenSets.find(USER, PROVIDER)).toBeNull()
    await store.close()
  })

  it('ends leases when it is restored, and leaves no token sets of removed users', async () => {
    const dataDir = await newStore()
    const empty = await openStore(dataDir)
    await empty.snapshots.save('empty', MOMENT, false)
    await empty.close()
    const store = await storeWithUser(dataDir)
    await fillLive(store)
    await store.live.pulls.lease(KEY, { holder: 'puller', now: NOW, until: NOW + DAY_MS })
    await store.snapshots.save('leased', MOMENT, false)
    await store.snapshots.restore('leased')
    expect((await store.live.pulls.find(KEY))?.leasedBy).toBeNull()
    await store.snapshots.restore('empty')
    await store.close()
    expect(countsIn(join(dataDir, 'svc.db'))).toMatchObject({ provider_grant: 0, raw_answer: 0, live_record: 0 })
  })
})

it('a reset keeps the OAuth app and its budget, and removes all user data', async () => {
  const { store } = await filledStore()
  await store.snapshots.reset()
  expect(await store.live.oauthApps.find(TEAM, PROVIDER)).not.toBeNull()
  expect(await store.live.subscriptions.list(TEAM, PROVIDER)).toHaveLength(1)
  expect(await store.live.tokenSets.find(USER, PROVIDER)).toBeNull()
  expect(await store.live.pulls.due(NOW * 2, null, 10)).toEqual([])
  expect(await store.live.notifications.due(NOW, null, 10)).toEqual([])
  await store.close()
})

it('a purge leaves no row and no byte of a user’s data from a provider', async () => {
  const { store, dataDir } = await filledStore()
  await store.live.oauthApps.put({ ...(await findOAuthApp(store)), sealed: Buffer.from('another secret') })
  await store.live.notifications.settle([{ teamId: TEAM, provider: PROVIDER, notificationId: 'n' }], NOW)
  await store.live.subscriptions.remove(TEAM, PROVIDER, 'update:sleep')
  await store.users.delete(TEAM, USER, AT, AT + DAY_MS)
  expect(await store.users.purge(USER, AT + DAY_MS)).toBe(true)
  expect(await problemsIn(store)).toEqual([])
  expect(await store.upkeep.scrub({ waitMs: 1_000 })).toBe('clean')
  await store.close()
  const none = Object.fromEntries(
    tablesOfLife('staying').flatMap(({ name, columns }) => ('user_id' in columns ? [[name, 0]] : [])),
  )
  expect(countsIn(join(dataDir, 'svc.db'))).toMatchObject({ ...none, live_connection: 0, live_record: 0 })
  for (const name of readdirSync(dataDir, { recursive: true, encoding: 'utf8' })) {
    const path = join(dataDir, name)
    if (statSync(path).isFile()) expect(readFileSync(path).includes(SEALED), name).toBe(false)
  }
})

const findOAuthApp = async (store: Store) => {
  const oauthApp = await store.live.oauthApps.find(TEAM, PROVIDER)
  if (oauthApp === null) throw new Error('there is no set-up')
  return oauthApp
}
const problemsIn = async (store: Store) => {
  const problems: unknown[] = []
  for await (const problem of store.upkeep.check()) problems.push(problem)
  return problems
}

describe('a copy into another store', () => {
  it('moves the token sets, and disables them in the source', async () => {
    const { store, dataDir } = await filledStore()
    await store.close()
    const to = newFolder()
    await runCopy(storeOptions(dataDir).store ?? dataDir, to)
    const target = await openFolder(to)
    expect(await tokenIn(target.context.store)).toEqual({ id: 'grant-1', state: 'active', sealed: 'sealed-grant-1' })
    expect(await heartrateIn(target.context.store)).toEqual([[AT, 60]])
    expect(await target.context.store.live.oauthApps.list(null)).toHaveLength(1)
    expect(await findProblems(target)).toEqual([])
    await target.close()
    const source = await openStore(dataDir)
    expect(await tokenIn(source)).toEqual({ id: 'grant-1', state: 'moved', sealed: '' })
    const { tokenSets } = source.live
    const key = { ...KEY, grantId: 'grant-1' }
    expect(await tokenSets.lease(key, { rev: 0, holder: 'a', insteadOf: null, now: NOW, until: NOW + 1 })).toBe(false)
    expect(await problemsIn(source)).toEqual([])
    // a new link works again
    await link(source, 'grant-2')
    expect(await tokenIn(source)).toMatchObject({ id: 'grant-2', state: 'active' })
    await source.close()
  })

  it('leaves them to the source until everything else is copied', async () => {
    const { store, dataDir } = await filledStore()
    await store.close()
    await interrupted(storeOptions(dataDir).store ?? dataDir, newFolder(), 'raw_answer')
    const source = await openStore(dataDir)
    expect(await tokenIn(source)).toMatchObject({ state: 'active' })
    await source.close()
  })

  it('finishes after it was stopped when the token sets had just moved', async () => {
    const { store, dataDir } = await filledStore()
    await store.close()
    const to = newFolder()
    const [source, target] = [openFolderSource(dataDir), openFolderTarget(to)]
    const stopping = {
      ...source,
      async write<T>(body: Parameters<typeof source.write<T>>[0]): Promise<T> {
        await source.write(body)
        throw new Error('stopped')
      },
    }
    const options = { onProgress: () => {}, signal: undefined }
    await expect(copyRows(stopping, target, options)).rejects.toThrow('stopped')
    await target.close()
    await source.close()
    await expect(openFolder(to)).rejects.toMatchObject({ code: 'data_folder' })
    expect(await runCopy(dataDir, to)).toMatchObject({ isContinued: true })
    const copy = await openFolder(to)
    expect(await tokenIn(copy.context.store)).toMatchObject({ state: 'active', sealed: 'sealed-grant-1' })
    await copy.close()
  })
})
