/**
 * Acknowledged samples are never lost: with kill -9, and with two processes writing the same chunks. The benchmark runs the same for
 * longer.
 */

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { root } from '../kit/sandbox.ts'

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
  it('all exist after a writer was killed repeatedly, and the store is intact', async () => {
    const { acknowledged, lost, problems } = await crashes.killed(engine, 4)
    expect(acknowledged).toBeGreaterThan(20)
    expect({ lost, problems }).toEqual({ lost: [], problems: [] })
  })

  it('all exist when two processes write the same chunks, and neither gets an error', async () => {
    const { acknowledged, failures, lost, problems } = await crashes.shared(engine, 60)
    expect(acknowledged).toBe(120)
    expect({ failures, lost, problems }).toEqual({ failures: [], lost: [], problems: [] })
  })
})
