/** The cache is bounded by number and bytes, and cleared by the next commit of any handle. */
import { describe, expect, it } from 'vitest'
import { Remembered } from '../../src/store/sqlite/remembered.ts'

const state = { snapshot: 0, dataVersion: 0, commits: 0 }
const fresh = () =>
  new Remembered({
    snapshot: () => state.snapshot,
    dataVersion: () => state.dataVersion,
    commits: () => state.commits,
  })

/** Returns whether the data had to be read. */
const isRead = (memory: Remembered, name: string): boolean => {
  let reads = 0
  memory.value(name, () => ++reads)
  return reads > 0
}
const isReadLarge = (memory: Remembered, name: string, bytes: number): boolean => {
  let reads = 0
  const read = (): object => {
    reads++
    return {}
  }
  memory.bytes(name, read, () => bytes)
  return reads > 0
}

describe('the cache', () => {
  it('drops entries that were not used recently, and keeps the others', () => {
    const memory = fresh()
    isRead(memory, 'often')
    isRead(memory, 'once')
    for (let i = 0; i < 10_000; i++) {
      isRead(memory, `other ${i}`)
      if (i % 500 === 0) expect(isRead(memory, 'often')).toBe(false)
    }
    expect(isRead(memory, 'once')).toBe(true)
  })

  it('keeps only a few megabytes of large entries', () => {
    const memory = fresh()
    const megabyte = 1 << 20
    for (let i = 0; i < 100; i++) isReadLarge(memory, `chunk ${i}`, megabyte)
    const kept = Array.from({ length: 100 }, (_, i) => 99 - i).filter(i => !isReadLarge(memory, `chunk ${i}`, 0))
    expect(kept.length).toBeGreaterThan(4)
    expect(kept.length).toBeLessThanOrEqual(16)
    expect(isReadLarge(memory, 'too large', 64 * megabyte)).toBe(true)
    expect(isReadLarge(memory, 'too large', 64 * megabyte)).toBe(true)
  })

  it.each(['dataVersion', 'commits'] as const)('is read again when %s shows a commit', of => {
    const memory = fresh()
    isRead(memory, 'a')
    isReadLarge(memory, 'b', 1)
    state.snapshot++
    expect([isRead(memory, 'a'), isReadLarge(memory, 'b', 1)]).toEqual([false, false])
    state[of]++
    state.snapshot++
    expect([isRead(memory, 'a'), isReadLarge(memory, 'b', 1)]).toEqual([true, true])
  })
})
