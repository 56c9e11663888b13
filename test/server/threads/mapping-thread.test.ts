/** The thread that parses and maps answers of live providers: what one pull does to it ends that pull alone. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterEach, beforeAll, expect, it } from 'vitest'
import type { PulledPage, PullRequest } from '../../../src/connectors/connector.ts'
import type { GrantSession } from '../../../src/connectors/provider-session.ts'
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
afterEach(() => thread.close())

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
      return new entry.Answer({ provider: 'p', status: 200, headers: {}, bytes: new TextEncoder().encode(text) })
    },
  } as unknown as GrantSession
}

async function all(pages: AsyncIterable<PulledPage>): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const { unmapped } of pages) found.push(unmapped['count'])
  return found
}

it('pulls as in place, and sends the requests on the other side', async () => {
  thread = new entry.MappingThread(LIMITS)
  const sent: Sent[] = []
  const session = sessionOf(async each => `${sent.push(each)}`)
  expect(await all(thread.pull('good', session, asked('days')))).toEqual([1, 2])
  expect(sent).toEqual([
    { url: '/first', form: 'collection=days' },
    { url: '/second', form: 'collection=days' },
  ])
})

it('throws what a connector throws, and what a request threw as it was', async () => {
  thread = new entry.MappingThread(LIMITS)
  const refused = all(
    thread.pull(
      'refuses',
      sessionOf(async () => '1'),
      asked('days'),
    ),
  )
  await expect(refused).rejects.toMatchObject({ name: 'ProviderError', kind: 'scope_missing', status: 403 })
  const lost = new Error('the store is gone')
  const broken = all(
    thread.pull(
      'good',
      sessionOf(async () => Promise.reject(lost)),
      asked('days'),
    ),
  )
  await expect(broken).rejects.toBe(lost)
})

it.each([
  ['loops', 'time'],
  ['grows', 'memory'],
])(
  'ends a pull that %s as a bad answer, and has the ones beside it repeated',
  async (provider, what) => {
    thread = new entry.MappingThread(LIMITS)
    // it waits for its second answer meanwhile
    const waiting = all(
      thread.pull(
        'good',
        sessionOf(({ url }) => (url === '/first' ? Promise.resolve('1') : new Promise(() => {}))),
        asked('days'),
      ),
    )
    const beside = expect(waiting).rejects.toMatchObject({ name: 'PullInterrupted' })
    const hostile = all(
      thread.pull(
        provider,
        sessionOf(async () => '1'),
        asked('days'),
      ),
    )
    const message = `${provider} sent answers that take too much ${what} to read.`
    await expect(hostile).rejects.toMatchObject({ kind: 'bad_answer', message })
    await beside
    expect(
      await all(
        thread.pull(
          'good',
          sessionOf(async () => '7'),
          asked('days'),
        ),
      ),
    ).toEqual([7, 7])
  },
  30_000,
)
