/** A store with very many users, for tests and benchmarks. */
import type { UserId } from '../../../src/core/ids.ts'
import { openEngine } from '../../../src/engine/open.ts'
import { storeOptions } from '../postgres/database.ts'

/** The store combines simultaneous writes into a few transactions. */
const AT_ONCE = 512

export const personName = (number: number): string => `person-${String(number).padStart(6, '0')}`
// it is written as a UUID
export const personId = (number: number): UserId =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}` as UserId

/** Creates the users, each a second after the one before, directly in the store, because so many requests would take a minute. */
export async function createManyUsers(dataDir: string, count: number, first: number): Promise<void> {
  const engine = await openEngine({ dataDir, ...storeOptions(dataDir), waitForLock: 'async' })
  const { teamId } = await engine.localTeam()
  for (let from = 0; from < count; from += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, i) => from + i)
    const create = (number: number) =>
      engine.context.store.users.create({
        userId: personId(number),
        teamId,
        clientUserId: personName(number),
        createdOn: first + number * 1_000,
        fallbackTimeZone: null,
        fallbackBirthDate: null,
        ingestionStart: null,
        ingestionEnd: null,
        deletedAt: null,
      })
    await Promise.all(some.map(create))
  }
  await engine.close()
}
