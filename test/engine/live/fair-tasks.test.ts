/** Shares of teams and providers: which tasks start, which ones make room, and the state after a stop. */
import { describe, expect, it } from 'vitest'
import type { TeamId } from '../../../src/core/ids.ts'
import { FairTasks } from '../../../src/engine/live/fair-tasks.ts'
import type { LiveTask, RanLive } from '../../../src/engine/live/live-task.ts'
import { until } from '../../kit/until.ts'

interface Ended {
  readonly ran: RanLive[]
  readonly failed: string[]
}

function open(): { readonly fair: FairTasks; readonly ended: Ended } {
  const ended: Ended = { ran: [], failed: [] }
  const fair = new FairTasks({
    untilDone: false,
    ran: ran => ended.ran.push(...ran),
    failed: ({ name }) => ended.failed.push(name),
    ended: () => {},
  })
  return { fair, ended }
}

/** Returns tasks that wait for their provider until they are stopped. */
function hanging(teamId: string, provider: string, n: number): LiveTask[] {
  return Array.from({ length: n }, (_, i) => ({
    name: `${teamId} ${provider} ${i}`,
    kind: 'live_pull' as const,
    teamId: teamId as TeamId,
    provider,
    run: ({ signal }) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true })),
  }))
}

/** Starts tasks until no more start, like a loop that checks from time to time. */
async function startAll(fair: FairTasks, tasks: readonly LiveTask[]): Promise<void> {
  const began = performance.now()
  while (performance.now() - began < 2_500) {
    fair.start(tasks)
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}
const count = (fair: FairTasks, teamId: string, provider?: string) =>
  fair.tasks().filter(task => task.teamId === teamId && (provider ?? task.provider) === task.provider).length

describe('a team at a provider', () => {
  it('has few working tasks, and more waiting ones', async () => {
    const { fair } = open()
    const tasks = hanging('a', 'p', 100)
    expect(fair.start(tasks)).toHaveLength(96)
    expect(fair.start(tasks)).toHaveLength(96)
    await startAll(fair, tasks)
    expect(count(fair, 'a')).toBe(8)
    fair.stop(new Error('over'))
    await fair.idle()
  })

  it('gets a slot at once, taken from the share with the most slots', async () => {
    const { fair, ended } = open()
    // one provider is unreachable for 100 teams
    const teams = Array.from({ length: 100 }, (_, i) => hanging(`team ${i}`, 'down', 3)).flat()
    fair.start(teams)
    expect(fair.tasks()).toHaveLength(256)
    for (const [teamId, provider] of [
      ['team 7', 'up'],
      ['new', 'down'],
      ['new', 'up'],
    ] as const) {
      expect(fair.start(hanging(teamId, provider, 1))).toEqual([])
      expect(count(fair, teamId, provider)).toBe(1)
    }
    await until(() => fair.tasks().length === 256)
    // a task that made room returns only if another one ends
    fair.start(teams)
    await until(() => fair.tasks().length === 256)
    expect([count(fair, 'team 7', 'up'), count(fair, 'new')]).toEqual([1, 2])
    expect(ended.failed).toEqual([])
    fair.stop(new Error('over'))
    await fair.idle()
    expect([fair.tasks(), fair.start(teams).length]).toEqual([[], 300])
  })

  it('has its share of the slots when all teams want many', async () => {
    const { fair } = open()
    const greedy = Array.from({ length: 20 }, (_, i) => hanging('greedy', `p${i}`, 30)).flat()
    await startAll(fair, greedy)
    const modest = Array.from({ length: 4 }, (_, i) => hanging('modest', `p${i}`, 4)).flat()
    fair.start(modest)
    await until(() => count(fair, 'modest') === 16)
    fair.stop(new Error('over'))
    await fair.idle()
  })
})

it('reports the results of tasks, and which ones failed by themselves', async () => {
  const { fair, ended } = open()
  const [task] = hanging('a', 'p', 1)
  const done = { ...task, name: 'done', run: async () => [{ kind: 'live_pull', count: 1 }] } as LiveTask
  const broken = { ...task, name: 'broken', run: () => Promise.reject(new Error('store')) } as LiveTask
  expect(fair.start([done, broken])).toEqual([])
  await fair.idle()
  expect(ended).toEqual({ ran: [{ kind: 'live_pull', count: 1 }], failed: ['broken'] })
})
