/** Simultaneous writes share one disk sync, and each can fail on its own. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../src/core/errors.ts'
import type { UserId } from '../../src/core/ids.ts'
import { openDataFolder } from '../../src/store/folder/data-folder.ts'
import { ImportSpool } from '../../src/store/imports/spool.ts'
import { CommitGroup } from '../../src/store/sqlite/commit-group.ts'
import { SqliteDatabase } from '../../src/store/sqlite/database.ts'
import { LockWait } from '../../src/store/sqlite/lock-wait.ts'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { buildBatch, storeWithUser, TEAM, USER, writing } from './user-store.ts'

const HEART = { resource: 'heartrate', type: null, provider: 'whoop', sourceType: 'watch' }
const START = Date.UTC(2026, 0, 1)
const ALL = { resource: 'heartrate', provider: null, from: START, to: START + 1e9 }
const one = (i: number) => writing([buildBatch(HEART, [{ start: START + i * 1000, value: i }])])

/** A group that encounters a lock this many times, and the number of writes in each of its transactions. */
function countedGroup(locked = 0) {
  let tries = 0
  let inOne = 0
  const sizes: number[] = []
  const group = new CommitGroup(
    {
      transact: body => {
        if (++tries <= locked) throw Object.assign(new Error('database is locked'), { errcode: 5 })
        inOne = 0
        const done = body()
        // a single write needs no savepoint
        sizes.push(Math.max(1, inOne))
        return done
      },
      savepoint: body => {
        inOne++
        return body()
      },
      isOpen: () => false,
    },
    new LockWait(false),
  )
  return { group, sizes }
}

describe('simultaneous writes', () => {
  it('are all stored, in the order of the calls', async () => {
    const store = await storeWithUser()
    const outcomes = await Promise.all(Array.from({ length: 200 }, (_, i) => store.data.write(USER, one(i))))
    expect(outcomes.every(each => each.kind === 'written')).toBe(true)
    const page = await store.samples.page(USER, ALL, null, 1000)
    expect([...(page.slices[0]?.columns.value ?? [])]).toEqual(Array.from({ length: 200 }, (_, i) => i))
    expect((await store.events.ofUser(USER, 0, 1000)).map(each => each.sequence)).toEqual(
      Array.from({ length: 200 }, (_, i) => i + 1),
    )
    await store.close()
  })

  it('fail separately: the changes of one are rolled back, the others stay', async () => {
    const store = await storeWithUser()
    const nobody = '33333333-3333-4333-8333-333333333333' as UserId
    const bad = writing([buildBatch({ ...HEART, resource: 'nonsense' }, [{ start: START, value: 1 }])], {
      connections: [{ userId: USER, provider: 'whoop', createdOn: START, externalUserId: null, region: null }],
    })
    const outcomes = await Promise.allSettled([
      store.data.write(USER, one(1)),
      store.data.write(nobody, one(2)),
      store.data.write(USER, bad),
      store.data.write(USER, one(3)),
    ])
    expect(outcomes.map(each => each.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    expect((outcomes[1] as PromiseRejectedResult).reason).toBeInstanceOf(ServiceError)
    // the failing one had connected the provider before it failed
    expect((await store.connections.ofUsers([USER])).get(USER)).toEqual([])
    expect((await store.events.ofUser(USER, 0, 10)).map(each => each.type)).toEqual([
      'daily.data.heartrate.created',
      'daily.data.heartrate.created',
    ])
    expect(await store.users.find(TEAM, USER)).not.toBeNull()
    await store.close()
  })

  it('that encounter a lock are retried together until it is released, along with writes that arrive meanwhile', async () => {
    const { group, sizes } = countedGroup(2)
    const first = [1, 2, 3].map(i => group.add(() => i))
    await new Promise(setImmediate)
    expect(await Promise.all([...first, group.add(() => 4)])).toEqual([1, 2, 3, 4])
    expect(sizes).toEqual([4])
  })

  it('that take a long time are divided, so that other work runs in between', async () => {
    const { group, sizes } = countedGroup()
    const long = (i: number) => {
      const until = performance.now() + 10
      while (performance.now() < until);
      return i
    }
    expect(await Promise.all([1, 2, 3].map(i => group.add(() => long(i))))).toEqual([1, 2, 3])
    expect(sizes).toEqual([1, 1, 1])
  })

  it('are on disk when the store is closed right after them', async () => {
    const dataDir = temporaryFolder()
    const store = await storeWithUser(dataDir)
    const writes = [1, 2, 3].map(i => store.data.write(USER, one(i)))
    await store.close()
    expect((await Promise.all(writes)).map(each => each.kind)).toEqual(['written', 'written', 'written'])
    const again = openSqliteStore({ folder: openDataFolder(dataDir), waitForLock: 'blocking' })
    expect((await again.events.ofUser(USER, 0, 10)).length).toBe(3)
    await again.close()
  })

  it('are retried separately when one of them ends the shared transaction, and an import then reports the same', async () => {
    const dataDir = temporaryFolder()
    const store = await storeWithUser(dataDir)
    const target = new SqliteDatabase({ path: join(dataDir, 'svc.db'), waitForLock: 'blocking', durable: true })
    const doubles = buildBatch(HEART, [
      { start: START, value: 60 },
      { start: START, value: 70 },
    ])
    await store.data.write(USER, writing([buildBatch(HEART, [{ start: START, value: 70 }])]))
    const spool = new ImportSpool(target, join(dataDir, 'scratch'))
    await spool.add({ batches: [doubles], summaries: [], streams: [] })
    const [report, odd] = await Promise.allSettled([
      spool.merge(USER, writing([])),
      target.write(() => {
        target.exec('ROLLBACK')
        throw 'odd'
      }),
    ])
    expect(odd).toEqual({ status: 'rejected', reason: 'odd' })
    expect(report).toMatchObject({ value: { stored: { heartrate: { samples: 2, replaced: 0, unchanged: 2 } } } })
    target.close()
    await store.close()
  })
})
