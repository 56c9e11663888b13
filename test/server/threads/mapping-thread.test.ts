/** The threads that parse and map responses of live providers: a pull that breaks its thread ends only itself. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PulledPage, PullRequest } from '../../../src/connectors/connector.ts'
import type { GrantSession } from '../../../src/connectors/provider-session.ts'
import type { TeamId } from '../../../src/core/ids.ts'
import type * as Entry from './mapping-entry.ts'

const LIMITS = { heapMb: 64, longestTurnMs: 1_000 }
const root = join(import.meta.dirname, '..', '..', '..')
let entry: typeof Entry
let thread: InstanceType<typeof Entry.MappingThread>

beforeAll(async () => {
  // below node_modules, so that it finds the packages that are not bundled
  const outfile = join(root, 'node_modules', '.cache', 'svc-test', 'mapping-thread.cjs')
  await build({
    entryPoints: [join(import.meta.dirname, 'mapping-entry.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    logLevel: 'error',
    banner: { js: "var __bundle={get url(){return require('node:url').pathToFileURL(__filename).href}};" },
    define: { 'import.meta': '__bundle' },
  })
  entry = createRequire(import.meta.url)(outfile) as typeof Entry
})
afterEach(() => thread?.close())

const ownerOf = (provider: string) => ({ teamId: 'team' as TeamId, provider })
const asked = (collection: string) => ({ collection }) as PullRequest

interface Sent {
  readonly url: string
  readonly form: string
}

function sessionOf(answer: (sent: Sent) => Promise<string>): GrantSession {
  return {
    app: { apiUrl: 'http://127.0.0.1:1' },
    grant: {},
    signal: undefined,
    now: Date.now,
    async send({ url, form }: { url: URL; form?: URLSearchParams }) {
      const text = await answer({ url: url.pathname, form: `${form}` })
      return new entry.ProviderResponse({
        provider: 'p',
        status: 200,
        headers: {},
        bytes: new TextEncoder().encode(text),
      })
    },
  } as unknown as GrantSession
}

async function all(pages: AsyncIterable<PulledPage>): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const { unmapped } of pages) found.push(unmapped['count'])
  return found
}

it('pulls with the same result as without threads, and sends the requests from the other thread', async () => {
  thread = new entry.MappingThread(LIMITS)
  const sent: Sent[] = []
  const session = sessionOf(async each => `${sent.push(each)}`)
  expect(await all(thread.pull(ownerOf('good'), session, asked('days')))).toEqual([1, 2])
  expect(sent).toEqual([
    { url: '/first', form: 'collection=days' },
    { url: '/second', form: 'collection=days' },
  ])
})

it('throws the errors of connectors, and the errors of requests unchanged', async () => {
  thread = new entry.MappingThread(LIMITS)
  const refused = all(
    thread.pull(
      ownerOf('refuses'),
      sessionOf(async () => '1'),
      asked('days'),
    ),
  )
  await expect(refused).rejects.toMatchObject({ name: 'ProviderError', kind: 'scope_missing', status: 403 })
  const lost = new Error('the store is gone')
  const broken = all(
    thread.pull(
      ownerOf('good'),
      sessionOf(async () => Promise.reject(lost)),
      asked('days'),
    ),
  )
  await expect(broken).rejects.toBe(lost)
})

it.each([
  ['loops', 'time', LIMITS.longestTurnMs],
  // on a busy machine, it may take long to fill the memory
  ['grows', 'memory', 20_000],
])(
  'ends a pull that %s as a bad response, and repeats the other pulls in the thread',
  async (provider, what, longestTurnMs) => {
    thread = new entry.MappingThread({ ...LIMITS, longestTurnMs })
    // it waits for its second response meanwhile
    const waiting = all(
      thread.pull(
        ownerOf('good'),
        sessionOf(({ url }) => (url === '/first' ? Promise.resolve('1') : new Promise(() => {}))),
        asked('days'),
      ),
    )
    const beside = expect(waiting).rejects.toMatchObject({ name: 'PullInterrupted' })
    const hostile = all(
      thread.pull(
        ownerOf(provider),
        sessionOf(async () => '1'),
        asked('days'),
      ),
    )
    const message = `${provider} sent responses that take too much ${what} to read.`
    await expect(hostile).rejects.toMatchObject({ kind: 'bad_answer', message })
    await beside
    expect(
      await all(
        thread.pull(
          ownerOf('good'),
          sessionOf(async () => '7'),
          asked('days'),
        ),
      ),
    ).toEqual([7, 7])
  },
  30_000,
)

it('ends a stopped pull at once, also while the thread is processing its page', async () => {
  thread = new entry.MappingThread({ ...LIMITS, longestTurnMs: 20_000 })
  const stop = new AbortController()
  const session = Object.assign(
    sessionOf(async () => '1'),
    { signal: stop.signal },
  )
  const pulled = expect(all(thread.pull(ownerOf('slow'), session, asked('days')))).rejects.toThrow('stopped')
  await new Promise(resolve => setTimeout(resolve, 1_000))
  const began = performance.now()
  stop.abort(new Error('stopped'))
  await pulled
  expect(performance.now() - began).toBeLessThan(1_000)
}, 30_000)

it('drops a provider’s responses that fill the memory while they wait for a busy thread', async () => {
  thread = new entry.MappingThread({ ...LIMITS, longestTurnMs: 20_000 })
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
}, 30_000)

describe('several threads', () => {
  const teams = Array.from({ length: 6 }, (_, i) => `team-${i}` as TeamId)
  let threads: InstanceType<typeof Entry.MappingThreads>

  beforeEach(() => {
    threads = new entry.MappingThreads(() => new entry.MappingThread({ ...LIMITS, longestTurnMs: 20_000 }))
  })
  afterEach(() => threads.close())

  /** Starts a pull whose outcome does not matter. */
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
  ])(
    'leave one free for others while pages of %s take a long time',
    async (_name, attackers) => {
      for (const [teamId, provider] of attackers) busy(teamId, provider)
      // all of them are processing a page
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
    },
    30_000,
  )

  it('keep a team at a provider in one thread', async () => {
    const owner = { teamId: teams[0] as TeamId, provider: 'slow' }
    const session = sessionOf(async () => '1')
    const began = performance.now()
    await Promise.all([1, 2].map(() => all(threads.pull(owner, session, asked('days')))))
    expect(performance.now() - began).toBeGreaterThan(6_000)
  }, 30_000)
})
