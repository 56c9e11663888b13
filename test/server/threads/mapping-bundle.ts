/** Mapping threads for tests: bundled, as threads load a file, with a session whose answers the test gives. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { PulledPage, PullRequest } from '../../../src/connectors/connector.ts'
import type { TokenSession } from '../../../src/connectors/provider-session.ts'
import type { TeamId } from '../../../src/core/ids.ts'
import type * as Entry from './mapping-entry.ts'

export type ThreadsEntry = typeof Entry
export const LIMITS = { heapMb: 64, longestTickMs: 1_000 }
const root = join(import.meta.dirname, '..', '..', '..')

/** Bundles the threads into a file of this name. */
export async function bundledThreads(name: string): Promise<ThreadsEntry> {
  // below node_modules, so that it finds the packages that are not bundled
  const outfile = join(root, 'node_modules', '.cache', 'svc-test', `${name}.cjs`)
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
  return createRequire(import.meta.url)(outfile) as ThreadsEntry
}

export const ownerOf = (provider: string) => ({ teamId: 'team' as TeamId, provider })
export const asked = (collection: string) => ({ collection }) as PullRequest

export interface Sent {
  readonly url: string
  readonly form: string
}

/** Returns a function that makes sessions whose answers come from a function. */
export function sessionWith(entry: ThreadsEntry) {
  return (answer: (sent: Sent) => Promise<string>): TokenSession =>
    ({
      app: { apiUrl: 'http://127.0.0.1:1' },
      grant: {},
      signal: undefined,
      now: Date.now,
      async send({ url, form }: { url: URL; form?: URLSearchParams }) {
        const text = await answer({ url: url.pathname, form: `${form}` })
        return new entry.ReceivedResponse({
          provider: 'p',
          status: 200,
          headers: {},
          bytes: new TextEncoder().encode(text),
        })
      },
    }) as unknown as TokenSession
}

export async function all(pages: AsyncIterable<PulledPage>): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const { unmapped } of pages) found.push(unmapped['count'])
  return found
}
