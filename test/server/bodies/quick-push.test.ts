/** Which pushes run on the event loop, and which in a thread. */
import { describe, expect, it } from 'vitest'
import { isQuickPush } from '../../../src/server/bodies/quick-push.ts'

const samples = (count: number, stepMs: number, more: object = {}): string =>
  JSON.stringify({
    samples: Array.from({ length: count }, (_, i) => ({
      resource: 'heartrate',
      timestamp: new Date(Date.UTC(2026, 0, 1) + i * stepMs).toISOString(),
      value: 60,
      ...more,
    })),
  })
const isQuick = (text: string): boolean => {
  const bytes = Buffer.from(text)
  return isQuickPush({ pieces: [bytes.subarray(0, 7), bytes.subarray(7)], bytes: bytes.length })
}

describe('a push', () => {
  it('runs on the event loop if it is short, or a day or week of samples', () => {
    expect(isQuick(samples(100, 86_400_000))).toBe(true)
    expect(isQuick(samples(1440, 60_000))).toBe(true)
    expect(isQuick(samples(2000, 300_000))).toBe(true)
  })

  it('runs in a thread if it is long, covers many days, or has documents or unreadable times', () => {
    expect(isQuick(samples(4000, 60_000))).toBe(false)
    expect(isQuick(samples(2000, 86_400_000))).toBe(false)
    expect(isQuick(samples(1000, 60_000).replaceAll('resource', 'summary'))).toBe(false)
    expect(isQuick(samples(1000, 60_000).replaceAll(/(\d{4})-(\d\d)-/g, '$1$2'))).toBe(false)
  })
})
