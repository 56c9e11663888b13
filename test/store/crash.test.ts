/** Acknowledged samples are never lost: under kill -9, and with two processes at the same chunks. The bench does the same at length. */

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { root } from '../commands/svc.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

interface Outcome {
  readonly acknowledged: number
  readonly lost: readonly number[]
  readonly problems: readonly unknown[]
}
/** The scripts are plain JavaScript, without types. */
interface Crashes {
  killed(engine: unknown, kills: number): Promise<Outcome>
  shared(engine: unknown, writes: number): Promise<Outcome & { readonly failures: readonly unknown[] }>
}
const script = async (name: string) => import(pathToFileURL(join(root, 'test', 'bench', name)).href)

let engine: unknown
let crashes: Crashes

beforeAll(async () => {
  engine = await (await script('bundle.mjs')).bundled('store-entry.ts')
  crashes = await script('samples/samples-crash.mjs')
})

describe('acknowledged samples', () => {
  it('are all there after a writer was killed, again and again, and the store is sound', async () => {
    const { acknowledged, lost, problems } = await crashes.killed(engine, 4)
    expect(acknowledged).toBeGreaterThan(20)
    expect({ lost, problems }).toEqual({ lost: [], problems: [] })
  })

  it('are all there when two processes write the same chunks, and neither sees an error', async () => {
    const { acknowledged, failures, lost, problems } = await crashes.shared(engine, 60)
    expect(acknowledged).toBe(120)
    expect({ failures, lost, problems }).toEqual({ failures: [], lost: [], problems: [] })
  })
})
