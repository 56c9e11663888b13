/** The threads that map answers of live providers, while the pages of some providers take long. */
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TeamId } from '../../../src/core/ids.ts'
import { all, asked, bundledThreads, LIMITS, ownerOf, sessionWith, type ThreadsEntry } from './mapping-bundle.ts'

let entry: ThreadsEntry
let sessionOf: ReturnType<typeof sessionWith>

beforeAll(async () => {
  entry = await bundledThreads('mapping-threads')
  sessionOf = sessionWith(entry)
})

it('gives up answers of a provider that wait in front of a busy thread, where they fill the memory', async () => {
  const thread = new entry.MappingThread({ ...LIMITS, longestTickMs: 20_000 })
  const busy = all(
    thread.pull(
      ownerOf('slow'),
      sessionOf(async () => '1'),
      asked('days'),
    ),
  )
  await new Promise(resolve => setTimeout(resolve, 500))
  const large = '1'.padEnd(30 * 1024 * 1024)
  const pulls = Array.from({ length: 10 }, () =>
    all(
      thread.pull(
        ownerOf('good'),
        sessionOf(async ({ url }) => (url === '/first' ? large : '2')),
        asked('days'),
      ),
    ).catch(({ kind }) => kind),
  )
  // 300 MiB in 256
  const ends = await Promise.all(pulls)
  expect(ends.filter(each => each === 'unavailable').length).toBeGreaterThanOrEqual(2)
  expect(ends.filter(each => each !== 'unavailable')).toContainEqual([1, 2])
  await busy
  await thread.close()
})

describe('several threads', () => {
  const teams = Array.from({ length: 6 }, (_, i) => `team-${i}` as TeamId)
  let threads: InstanceType<ThreadsEntry['MappingThreads']>

  beforeEach(() => {
    threads = new entry.MappingThreads(() => new entry.MappingThread({ ...LIMITS, longestTickMs: 20_000 }))
  })
  afterEach(() => threads.close())

  /** Pulls for nobody in particular. What comes of it does not matter. */
  const busy = (teamId: TeamId, provider: string) => {
    for (let i = 0; i < 4; i++) {
      void all(
        threads.pull(
          { teamId, provider },
          sessionOf(async () => '1'),
          asked('days'),
        ),
      ).catch(() => {})
    }
  }

  it.each([
    ['one team at six providers', teams.map((_, i) => [teams[0] as TeamId, `slow ${i}`] as const)],
    ['one provider of six teams', teams.map(teamId => [teamId, 'slow'] as const)],
  ])('leave one to others while pages of %s take long', async (_name, attackers) => {
    for (const [teamId, provider] of attackers) busy(teamId, provider)
    // all of them are at a page
    await new Promise(resolve => setTimeout(resolve, 1_000))
    const began = performance.now()
    const first = await new Promise<number>(resolve => {
      const session = sessionOf(async () => {
        resolve(performance.now())
        return '1'
      })
      void all(threads.pull({ teamId: 'other' as TeamId, provider: 'good' }, session, asked('days'))).catch(() => {})
    })
    expect(first - began).toBeLessThan(2_000)
  })

  it('keep a team at a provider in one', async () => {
    const owner = { teamId: teams[0] as TeamId, provider: 'slow' }
    const session = sessionOf(async () => '1')
    const began = performance.now()
    await Promise.all([1, 2].map(() => all(threads.pull(owner, session, asked('days')))))
    expect(performance.now() - began).toBeGreaterThan(6_000)
  })
})
