/** Collecting samples into columns. */
import { describe, expect, it } from 'vitest'
import { NO_OFFSET, SampleBatchBuilder, textAt } from '../../src/core/sample.ts'

const SERIES = { resource: 'steps', type: null, provider: 'oura', sourceType: 'ring' }

describe('a batch', () => {
  it('has the samples that were added, even if the builder has grown and was emptied before', () => {
    const builder = new SampleBatchBuilder(SERIES)
    for (const count of [1, 0, 7, 8, 9, 300, 2]) {
      for (let i = 0; i < count; i++) {
        const more = { end: i + 1, second: i / 2, offset: i % 2 === 0 ? 3_600 : null, text: { type: `t${i % 3}` } }
        builder.push({ start: i, value: i * 2, ...more })
      }
      expect(builder.n).toBe(count)
      const { n, start, end, value, second, offset, text } = builder.take()
      const rows = Array.from({ length: count }, (_, i) => i)
      expect([n, [...start], [...value]]).toEqual([count, rows, rows.map(i => i * 2)])
      if (count === 0) continue
      expect([...(end ?? [])]).toEqual(rows.map(i => i + 1))
      expect([...(second ?? [])]).toEqual(rows.map(i => i / 2))
      expect([...(offset ?? [])]).toEqual(rows.map(i => (i % 2 === 0 ? 3_600 : NO_OFFSET)))
      expect(rows.map(i => textAt(text.get('type'), i))).toEqual(rows.map(i => `t${i % 3}`))
    }
  })

  it('uses little more memory than its samples, because a page may have a batch for each of thousands of records', () => {
    const builder = new SampleBatchBuilder(SERIES)
    for (const count of [1, 5_000, 3]) {
      for (let i = 0; i < count; i++) builder.push({ start: i, end: i + 1, value: i, offset: 0, text: { type: 'a' } })
      const { start, end, value, offset, text } = builder.take()
      const buffers = [start, end, value, offset, text.get('type')?.codes].map(column => column?.buffer.byteLength ?? 0)
      expect(buffers.reduce((sum, bytes) => sum + bytes)).toBeLessThanOrEqual(count * 2 * 32)
    }
  })
})
