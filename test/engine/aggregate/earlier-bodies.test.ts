/**
 * Queries without the options of svc have the same bodies, byte for byte, as before these options existed. The fixture holds queries of these
 * tests with their data and bodies, as an earlier version computed them; see test/fixtures/README.md.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { jsonPieces } from '../../../src/table/json.ts'
import { root } from '../../kit/sandbox.ts'
import { table } from './memory-source.ts'

interface Recorded {
  readonly test: string
  readonly data: Parameters<typeof table>[0]
  readonly query: Parameters<typeof table>[1]
  readonly asked: Parameters<typeof table>[2]
  readonly body: string
}

const ARRAYS = { Float64Array, Int32Array, Uint32Array }

const recorded: readonly Recorded[] = gunzipSync(
  readFileSync(join(root, 'test', 'fixtures', 'aggregate-bodies.ndjson.gz')),
)
  .toString()
  .split('\n')
  .map(line => JSON.parse(line, revived))

/** Restores typed arrays and maps. */
function revived(_key: string, value: unknown): unknown {
  const { $: type, v } = (value ?? {}) as { readonly $?: string; readonly v?: readonly unknown[] }
  if (type === undefined || v === undefined) return value
  if (type === 'Map') return new Map(v as [unknown, unknown][])
  return ARRAYS[type as keyof typeof ARRAYS].from(v.map(Number))
}

describe('a query without options of svc', () => {
  it('has the same body as before they existed', async () => {
    const different: string[] = []
    for (const { test, data, query, asked, body } of recorded) {
      const now = Buffer.concat([...jsonPieces([await table(data, query, asked)], () => null)]).toString()
      if (now !== body) different.push(`${test}: ${JSON.stringify(query)}\n  was ${body}\n  is  ${now}`)
    }
    expect(different).toEqual([])
    expect(recorded).toHaveLength(275)
  })
})
