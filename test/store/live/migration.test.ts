/** Stores from before live providers support them once they are opened. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { TeamId, UserId } from '../../../src/core/ids.ts'
import { openDataFolder } from '../../../src/store/folder/data-folder.ts'
import type { Store } from '../../../src/store/port.ts'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { TEST_STORE } from '../../kit/postgres/maintenance.ts'
import { root } from '../../kit/sandbox.ts'
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
  it.each(['data-folder-v1', 'data-folder-v6'])('accepts a live link: %s', async name => {
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
