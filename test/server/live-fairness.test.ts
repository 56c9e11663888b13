/** Live work of a server: a team with much data to pull does not delay another team. */
import { expect, it, vi } from 'vitest'
import type { TeamId } from '../../src/core/ids.ts'
import { HOUR_MS } from '../../src/core/time.ts'
import { startLiveWork } from '../../src/server/live/live-work.ts'
import { linkOfOther } from '../engine/live/linked-of-other.ts'
import { openPull } from '../engine/live/pull-harness.ts'
import { NOON } from '../kit/harness.ts'
import { until } from '../kit/until.ts'
import { DAYS } from '../providers/pulled-connector.ts'

vi.mock('../../src/connectors/live/live-connectors.ts', () => import('../engine/live/pulled-connectors.ts'))

/** More than a server pulls at once. */
const PEOPLE = 24

it('a team’s only person is pulled even if another team has many histories that have been due for longer', async () => {
  const pulled = await openPull()
  const { live, context, key, items } = pulled
  for (let i = 0; i < 40; i++) items.put(DAYS, `d${i}`, NOON - i * HOUR_MS, 100 + i)
  for (let i = 1; i < PEOPLE; i++) {
    const { user_id } = await live.h.call('user.create', { body: { client_user_id: `person-${i}` } })
    live.fake.consent = { account: `account-${i}` }
    await live.link(await live.newToken(user_id))
  }
  live.h.time.ms += HOUR_MS
  live.fake.consent = { account: 'account-of-another-team' }
  const userId = await linkOfOther(pulled)
  live.h.time.ms += 1
  live.fake.fail({ path: /data/, delayMs: 20, times: 100_000 })
  const inHistory = async (teamId: TeamId) => {
    const figures = await context.store.live.pulls.figures(teamId, live.h.time.ms)
    return figures.find(({ provider }) => provider === key.provider)?.inHistory ?? 0
  }
  const { teamId } = (await context.store.users.byId(userId)) ?? live.h.team
  const work = startLiveWork(context, { log: () => {}, lookMs: 20 })
  try {
    await until(async () => (await inHistory(teamId)) === 0, { mostMs: 60_000 })
    expect(await inHistory(live.h.team.teamId)).toBeGreaterThan(PEOPLE / 2)
    await until(async () => (await inHistory(live.h.team.teamId)) === 0, { mostMs: 60_000 })
  } finally {
    await work.stop()
  }
})
