/** Lab orders in the store: a check that finds problems with them, and two handles that make the same change. */

import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it } from 'vitest'
import { openEngine } from '../../src/engine/open.ts'
import { placed } from '../engine/orders/orders.ts'
import { openHarness } from '../kit/harness.ts'
import { storeOptions } from '../kit/postgres/database.ts'

describe('lab orders', () => {
  it('pass the check if intact, and fail it if damaged', async () => {
    const harness = await openHarness()
    const { userId, order } = await placed(harness, 'heart-health-kit')
    await harness.call('order.simulate', { params: { order_id: order.id }, query: { delay: 60 } })
    const problems = async (): Promise<string[]> => {
      const found: string[] = []
      for await (const problem of harness.engine.context.store.upkeep.check()) {
        expect(problem).toMatchObject({ what: 'order', userId })
        if (!problem.message.endsWith('it differs from the data that was written')) found.push(problem.message)
      }
      return found
    }
    expect(await problems()).toEqual([])
    const db = new DatabaseSync(harness.engine.folder.database)
    const damages = [
      ["UPDATE lab_order SET status='completed.testkit.completed'", `its status is not that of its last event`],
      [`UPDATE lab_order SET status='${order.last_event.status}', result='{'`, 'its report cannot be read'],
      [
        "UPDATE lab_order SET result=NULL; DELETE FROM job WHERE kind LIKE 'order:%'",
        'it has a plan, but no job will carry it out',
      ],
      ["UPDATE lab_order SET document='{'", 'its document cannot be read'],
    ] as const
    for (const [sql, message] of damages) {
      db.exec(sql)
      expect(await problems(), message).toEqual([`order ${order.id}: ${message}`])
    }
    db.close()
  })

  it('change once when two processes advance them', async () => {
    const harness = await openHarness()
    const { order } = await placed(harness, 'heart-health-kit')
    const { dataDir, time } = harness
    const other = await openEngine({ dataDir, waitForLock: 'blocking', time, ...storeOptions(dataDir) })
    const { store } = other.context
    const found = await store.orders.find(harness.team.teamId, order.id)
    if (!found) throw new Error('the order is there')
    const next = { ...found, status: 'cancelled.testkit.cancelled', rev: found.rev + 1 }
    const first = harness.engine.context.store.orders.replace(next, [], harness.time.ms)
    const second = store.orders.replace(next, [], harness.time.ms)
    expect((await Promise.all([first, second])).sort()).toEqual([false, true])
    await other.close()
  })
})
