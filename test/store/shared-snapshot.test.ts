/** Consecutive reads share a snapshot of the database; nobody sees a state older than that at the time of the request. */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import { one, query, remembered } from '../../src/store/logic/steps.ts'
import { SqliteDatabase } from '../../src/store/sqlite/database.ts'
import { openSideThread } from '../../src/store/sqlite/side-thread.ts'
import { temporaryFolder } from '../kit/folder.ts'

let handle: SqliteDatabase
let other: InstanceType<typeof DatabaseSync>
function open(): void {
  const path = join(temporaryFolder(), 'svc.db')
  handle = new SqliteDatabase({ path, waitForLock: 'async', durable: true })
  other = new DatabaseSync(path)
}
afterEach(() => {
  other.close()
  handle.close()
})

const put = (name: string): void => {
  other.exec(`INSERT INTO setting (name, value) VALUES ('${name}', 1)`)
}
const count = () => handle.get<{ n: number }>('SELECT count(*) AS n FROM setting')?.n

describe('reads', () => {
  it('without a pause in between see one state, and a later one sees the newest', async () => {
    open()
    const first = await handle.read(count)
    put('a')
    expect(await handle.read(count)).toBe(first)
    await delay(0)
    expect(await handle.read(count)).toBe((first ?? 0) + 1)
    put('b')
    await new Promise(setImmediate)
    expect(await handle.read(count)).toBe((first ?? 0) + 2)
  })

  it('see writes through the same handle at once', async () => {
    open()
    const first = (await handle.read(count)) ?? 0
    await handle.write(() => handle.run("INSERT INTO setting (name, value) VALUES ('w', 1)"))
    expect(await handle.read(count)).toBe(first + 1)
    handle.run("INSERT INTO setting (name, value) VALUES ('x', 1)")
    expect(await handle.read(count)).toBe(first + 2)
    const seen = other.prepare('SELECT count(*) AS n FROM setting').get() as { n: number }
    expect(seen.n).toBe(first + 2)
  })

  it('block no other process: another handle writes and empties the log between two of them', async () => {
    open()
    await handle.read(count)
    put('a')
    await delay(0)
    const [row] = other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all() as { busy: number }[]
    expect(row?.busy).toBe(0)
  })

  it('for requests that arrived together see one state until they are served', async () => {
    open()
    handle.shareSnapshot({})
    const first = (await handle.read(count)) ?? 0
    put('a')
    await new Promise(process.nextTick)
    handle.shareSnapshot({})
    expect(await handle.read(count)).toBe(first)
    await handle.write(() => handle.run("INSERT INTO setting (name, value) VALUES ('w', 1)"))
    expect(await handle.read(count)).toBe(first + 2)
    put('b')
    await new Promise(setImmediate)
    expect(await handle.read(count)).toBe(first + 3)
    put('c')
    await new Promise(process.nextTick)
    // no read shares it any more
    await delay(0)
    expect(await handle.read(count)).toBe(first + 4)
  })

  it('for a later request on the same socket see commits in between', async () => {
    open()
    const socket = {}
    handle.shareSnapshot(socket)
    const first = (await handle.read(count)) ?? 0
    handle.shareSnapshot({})
    put('a')
    handle.shareSnapshot(socket)
    expect(await handle.read(count)).toBe(first + 1)
  })

  it('leave the log free on request, and while a thread is working', async () => {
    open()
    const truncated = () =>
      (other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all() as { busy: number }[])[0]?.busy === 0
    handle.shareSnapshot({})
    await handle.read(count)
    put('a')
    expect(truncated()).toBe(false)
    handle.leaveSnapshot()
    expect(truncated()).toBe(true)
    const thread = await openSideThread(handle.path)
    await new Promise(setImmediate)
    handle.shareSnapshot({})
    await handle.read(count)
    put('b')
    await new Promise(process.nextTick)
    expect(truncated()).toBe(true)
    await thread.close()
    handle.shareSnapshot({})
    await handle.read(count)
    put('c')
    await new Promise(process.nextTick)
    expect(truncated()).toBe(false)
  })

  it('share a snapshot only up to a limit', async () => {
    open()
    const seen = new Set<number | undefined>()
    for (let i = 0; i < 200; i++) {
      put(`${i}`)
      handle.shareSnapshot({})
      seen.add(await handle.read(count))
    }
    expect(seen.size).toBe(4)
  })

  it('continue after a failed read', async () => {
    open()
    const failing = handle.read(() => {
      count()
      throw new Error('of the caller')
    })
    await expect(failing).rejects.toThrow('of the caller')
    expect(await handle.read(count)).toBeGreaterThanOrEqual(0)
    const both = await Promise.allSettled([handle.read(() => handle.get('SELECT no such column')), handle.read(count)])
    expect(both.map(each => each.status)).toEqual(['rejected', 'fulfilled'])
  })
})

describe('the cache of reads', () => {
  it('is read again after a commit of this or another handle, and not before', async () => {
    open()
    let reads = 0
    const counted = () =>
      handle.read(() =>
        remembered('counted', function* () {
          reads++
          return (yield* one(query<{ n: number }>('SELECT count(*) AS n FROM setting')))?.n
        }),
      )
    const first = (await counted()) ?? 0
    await delay(0)
    expect([await counted(), reads]).toEqual([first, 1])
    put('other')
    await delay(0)
    expect([await counted(), reads]).toEqual([first + 1, 2])
    await handle.write(() => handle.run("INSERT INTO setting (name, value) VALUES ('own', 1)"))
    expect([await counted(), reads]).toEqual([first + 2, 3])
    handle.run("INSERT INTO setting (name, value) VALUES ('alone', 1)")
    expect([await counted(), reads]).toEqual([first + 3, 4])
    await expect(
      handle.write(() => {
        handle.run("INSERT INTO setting (name, value) VALUES ('undone', 1)")
        throw new Error('undone')
      }),
    ).rejects.toThrow('undone')
    expect(await counted()).toBe(first + 3)
  })

  it('does not keep missing values', async () => {
    open()
    const find = () =>
      handle.read(() =>
        remembered('x', function* () {
          return (yield* one(query("SELECT 1 FROM setting WHERE name='x'"))) ?? null
        }),
      )
    expect(await find()).toBeNull()
    put('x')
    await delay(0)
    expect(await find()).not.toBeNull()
  })
})
