/** The check reads users, their names and the owners of rows page by page, and misses nothing between two pages. */
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { expect, it } from 'vitest'
import type { UserId } from '../../src/core/ids.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { storeWithUser, TEAM } from './user-store.ts'

const USERS = 250
const numberedId = (number: number): UserId => `33333333-3333-4333-8333-${String(number).padStart(12, '0')}` as UserId
/** Before all users, between two, and after all of them. */
const STRANGERS = [
  '00000000-0000-4000-8000-000000000000',
  `${numberedId(99)}-a`,
  'ffffffff-ffff-4fff-bfff-ffffffffffff',
]

it('finds rows without a user, and names without a user or the other way round, among many users', async () => {
  const dataDir = temporaryFolder()
  const store = await storeWithUser(dataDir)
  for (let number = 0; number < USERS; number++) {
    await store.users.create({
      userId: numberedId(number),
      teamId: TEAM,
      clientUserId: `user ${number}`,
      createdOn: 0,
      fallbackTimeZone: null,
      fallbackBirthDate: null,
      ingestionStart: null,
      ingestionEnd: null,
      deletedAt: null,
    })
  }
  const raw = new DatabaseSync(join(dataDir, 'svc.db'))
  for (const userId of [...STRANGERS, numberedId(100)]) {
    raw.prepare("INSERT INTO user_rate (user_id, name, times) VALUES (?, 'refresh', '[]')").run(userId)
  }
  raw.prepare('DELETE FROM directory WHERE user_id=?').run(numberedId(120))
  raw.prepare('UPDATE directory SET user_id=? WHERE user_id=?').run(numberedId(7), numberedId(249))
  raw.prepare("INSERT INTO account VALUES (?, 'oura', 'a', ?)").run(TEAM, numberedId(200))
  raw.close()
  const found: unknown[] = []
  for await (const { userId, message } of store.upkeep.check()) found.push([userId, message])
  await store.close()
  const notInDirectory = 'its client_user_id is not in the directory'
  expect(found).toEqual([
    [numberedId(120), notInDirectory],
    [numberedId(249), notInDirectory],
    [numberedId(7), 'the directory names it, but it is not active under that client_user_id'],
    [numberedId(200), 'the table of accounts names it, but it has no connection to that account'],
    ...STRANGERS.map(userId => [userId, 'rows of user_rate do not belong to any user']),
  ])
})
