/** The origin of data from a live provider: its collection and its record. */
import { beforeEach, expect, it, vi } from 'vitest'
import { MINUTE_MS } from '../../../src/core/time.ts'
import { NOON } from '../../kit/harness.ts'
import { DAYS } from '../../providers/pulled-connector.ts'
import { openPull, type PullHarness } from '../live/pull-harness.ts'
import { changeConnector } from '../live/pulled-connectors.ts'

vi.mock('../../../src/connectors/live/live-connectors.ts', () => import('../live/pulled-connectors.ts'))

let pulled: PullHarness

beforeEach(async () => {
  changeConnector({})
  pulled = await openPull()
})

const ask = () => {
  const params = { user_id: pulled.key.userId }
  return pulled.live.h.call('aggregate.why', {
    params,
    query: { function: 'sum', column: 'steps', period: '2026-11-20' },
  })
}

it('names the collection and the record, and the time once it is known', async () => {
  pulled.items.put(DAYS, 'd1', NOON - 10 * MINUTE_MS, 100)
  await pulled.pull()
  const history = await ask()
  expect([history.value, history.origins]).toMatchObject([
    100,
    [{ kind: 'pull', provider: pulled.key.provider, collection: DAYS, record_id: 'd1', at: null }],
  ])
  pulled.items.put(DAYS, 'd2', NOON - 5 * MINUTE_MS, 20)
  pulled.live.h.time.ms += 24 * 60 * MINUTE_MS
  await pulled.pull()
  const { origins } = await ask()
  expect(origins.find(({ record_id }) => record_id === 'd2')).toMatchObject({ kind: 'pull', at: expect.any(String) })
})
