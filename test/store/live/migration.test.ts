/** Stores from before there were live providers take them once they are opened. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import type { TeamId, UserId } from '../../../src/core/ids.ts'
import { parseStoreUrl } from '../../../src/core/store-url.ts'
import { openDataFolder } from '../../../src/store/folder/data-folder.ts'
import type { Store } from '../../../src/store/port.ts'
import { VERSION_1 } from '../../../src/store/postgres/schema/version-1.ts'
import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { TEST_STORE, urlOf } from '../../kit/postgres/maintenance.ts'
import { root } from '../../kit/sandbox.ts'
import { TEAM, USER } from '../user-store.ts'
import { fillLive, PROVIDER } from './live-store.ts'

async function expectLive(store: Store, teamId: TeamId, userId: UserId): Promise<void> {
  await fillLive(store, teamId, userId)
  const connections = (await store.connections.ofUsers([userId])).get(userId)
  expect(connections?.filter(({ isLive }) => isLive).map(({ provider }) => provider)).toEqual([PROVIDER])
  const problems: unknown[] = []
  for await (const problem of store.upkeep.check()) problems.push(problem)
  expect(problems).toEqual([])
}

describe.skipIf(TEST_STORE !== undefined)('a data folder of an older version', () => {
  it.each(['data-folder-v1', 'data-folder-v6'])('takes a live link: %s', async name => {
    const folder = temporaryFolder()
    cpSync(join(root, 'test', 'fixtures', name), folder, { recursive: true })
    const store = openSqliteStore({ folder: openDataFolder(folder), waitForLock: 'blocking' })
    const team = (await store.teams.all()).find(({ users }) => users > 0)
    const teamId = team?.team.teamId as TeamId // the folder has one
    const { users } = await store.users.list(teamId, 0, 10)
    const before = await store.connections.ofUsers(users.map(({ userId }) => userId))
    expect([...before.values()].flat().map(({ isLive }) => isLive)).not.toContain(true)
    await expectLive(store, teamId, users.at(-1)?.userId as UserId) // it has users
    await store.close()
  })
})

describe.skipIf(TEST_STORE === undefined)('a database of the first version', () => {
  it('takes a live link', async () => {
    const name = `svc_first_version_${process.pid}`
    const server = new pg.Client({ connectionString: TEST_STORE })
    await server.connect()
    await server.query(`CREATE DATABASE ${name}`)
    const database = new pg.Client({ connectionString: urlOf(name) })
    await database.connect()
    await database.query(VERSION_1)
    await database.query(`CREATE TABLE svc_schema (id int PRIMARY KEY CHECK (id=1), version int NOT NULL);
      INSERT INTO svc_schema (id, version) VALUES (1, 1);
      INSERT INTO setting (name, value) VALUES ('store_id', '${'ab'.repeat(16)}')`)
    await database.end()
    const store = await openPostgresStore({
      url: parseStoreUrl(urlOf(name)),
      folder: openDataFolder(temporaryFolder()),
      masterKeyCheck: 'the same',
      waitForLock: 'blocking',
    })
    try {
      const team = { teamId: TEAM, name: 'local', createdOn: 0, rejectDuplicateConnection: false }
      await store.teams.local(async () => team)
      const bounds = { ingestionStart: null, ingestionEnd: null, deletedAt: null }
      const fallback = { fallbackTimeZone: null, fallbackBirthDate: null }
      await store.users.create({ userId: USER, teamId: TEAM, clientUserId: 'a', createdOn: 0, ...fallback, ...bounds })
      await expectLive(store, TEAM, USER)
    } finally {
      await store.close()
      await server.query(`DROP DATABASE ${name} WITH (FORCE)`)
      await server.end()
    }
  })
})
