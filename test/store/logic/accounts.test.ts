/** Taken accounts: looked up by team, and decided by the connections. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TeamId, UserId } from '../../../src/core/ids.ts'
import { openDataFolder } from '../../../src/store/folder/data-folder.ts'
import type { Store } from '../../../src/store/port.ts'
import { salvage } from '../../../src/store/sqlite/salvage/salvage.ts'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { newStore } from '../../kit/store/new-store.ts'
import { storeWithUser, TEAM, USER, writing } from '../user-store.ts'

const NOBODY = '33333333-3333-4333-8333-333333333333' as UserId
const OTHER_TEAM = '44444444-4444-4444-8444-444444444444' as TeamId
const ACCOUNT = 'ada@example.test'

let dataDir: string
let store: Store

beforeEach(async () => {
  dataDir = await newStore()
  store = await storeWithUser(dataDir)
})
afterEach(() => store.close())

const connect = (externalUserId: string | null) =>
  store.data.write(
    USER,
    writing([], { connections: [{ userId: USER, provider: 'whoop', createdOn: 0, externalUserId, region: null }] }),
  )
const isTaken = (account = ACCOUNT, team = TEAM, user = NOBODY) =>
  store.connections.isAccountTaken(team, user, 'whoop', account)

/** Changes the file behind the store's back. */
function tamper(sql: string): void {
  const db = new DatabaseSync(join(dataDir, 'svc.db'))
  db.exec(sql)
  db.close()
}

async function problems(): Promise<string[]> {
  const found: string[] = []
  for await (const problem of store.upkeep.check()) found.push(problem.message)
  return found
}

describe('an account', () => {
  it('is taken for all other users of the connected user’s team', async () => {
    await connect(ACCOUNT)
    expect(await isTaken()).toBe(true)
    expect(await isTaken('somebody@else.test')).toBe(false)
    expect(await isTaken(ACCOUNT, OTHER_TEAM)).toBe(false)
    expect(await isTaken(ACCOUNT, TEAM, USER)).toBe(false)
  })

  it('is free again once the connection has another account or is removed, or its user is deleted', async () => {
    await connect(ACCOUNT)
    await connect('second')
    expect([await isTaken(), await isTaken('second')]).toEqual([false, true])
    await connect(null)
    expect(await isTaken('second')).toBe(true)
    await store.connections.remove(USER, 'whoop')
    expect(await isTaken('second')).toBe(false)
    await connect(ACCOUNT)
    await store.users.delete(TEAM, USER, 1, 2)
    expect(await isTaken()).toBe(false)
    expect(await problems()).toEqual([])
  })

  it('is not taken because of a row without its connection, which the check reports', async () => {
    await connect('second')
    tamper(
      `INSERT INTO account VALUES ('${TEAM}', 'whoop', '${ACCOUNT}', '${USER}'), ('${TEAM}', 'whoop', '${ACCOUNT}', 'x')`,
    )
    expect(await isTaken()).toBe(false)
    const message = 'the table of accounts names it, but it has no connection to that account'
    expect(await problems()).toEqual([message, message])
  })

  it('whose row is missing is reported by the check, and found again after a salvage', async () => {
    await connect(ACCOUNT)
    tamper('DELETE FROM account')
    expect(await problems()).toEqual(["a connection's account is not in the table of accounts"])
    await store.close()
    const to = join(temporaryFolder(), 'salvaged')
    // SQLite closes the handle of this process late, and writes to the file then
    const from = temporaryFolder()
    cpSync(dataDir, from, { recursive: true })
    const options = { from, to, now: 0, onPages: () => {}, onPhase: () => {}, signal: undefined }
    expect((await salvage(options)).problems).toEqual([])
    store = openSqliteStore({ folder: openDataFolder(to), waitForLock: 'blocking' })
    expect(await isTaken()).toBe(true)
  })
})
