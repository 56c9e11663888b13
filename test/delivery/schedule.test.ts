/** When a failed delivery is retried, and how fast an endpoint is served. */
import { describe, expect, it } from 'vitest'
import { RateLimiter } from '../../src/delivery/rate-limiter.ts'
import { askedFor, nextAttemptAt, RETRY_DELAYS_MS } from '../../src/delivery/schedule.ts'

const chance = (byte: number) => ({ bytes: (count: number) => new Uint8Array(count).fill(byte) })

describe('the next attempt', () => {
  it('follows after the delay of its round, up to a fifth sooner or later', () => {
    RETRY_DELAYS_MS.forEach((delay, round) => {
      const at = 1_000
      expect(nextAttemptAt({ round, at, askedMs: null }, chance(0))).toBe(at + delay * 0.8)
      expect(nextAttemptAt({ round, at, askedMs: null }, chance(255))).toBe(at + delay * 1.2)
    })
    expect(nextAttemptAt({ round: RETRY_DELAYS_MS.length, at: 0, askedMs: 5 }, chance(0))).toBeNull()
  })

  it('is as late as the endpoint requests, up to a day, and never earlier than the schedule', () => {
    expect(nextAttemptAt({ round: 0, at: 0, askedMs: 60_000 }, chance(0))).toBe(60_000)
    expect(nextAttemptAt({ round: 0, at: 0, askedMs: 1 }, chance(0))).toBe(4_000)
    expect(nextAttemptAt({ round: 0, at: 0, askedMs: 9e11 }, chance(0))).toBe(86_400_000)
  })

  it('reads Retry-After in seconds or as a date only', () => {
    const now = Date.UTC(2026, 10, 20, 12)
    expect(askedFor(' 120 ', now)).toBe(120_000)
    expect(askedFor('Fri, 20 Nov 2026 12:01:00 GMT', now)).toBe(60_000)
    expect(askedFor('Fri, 20 Nov 2026 11:00:00 GMT', now)).toBe(0)
    for (const text of [null, '', 'soon', '-5', '1.5', '2026']) {
      expect(askedFor(text, now) ?? 0, String(text)).toBeLessThanOrEqual(2_026_000)
    }
    expect(askedFor('soon', now)).toBeNull()
  })
})

describe('a limiter', () => {
  it('allows no more than its rate, with a small burst, for any pattern of calls', () => {
    const limiter = new RateLimiter(100, 0)
    const times: number[] = []
    for (let now = 0; now < 2_000; now++) while (limiter.take(now) === 0) times.push(now)
    expect(times.length).toBeGreaterThan(190)
    for (const start of times) {
      expect(times.filter(time => time >= start && time < start + 1_000).length).toBeLessThanOrEqual(105)
    }
  })

  it('returns the wait until the next call', () => {
    const limiter = new RateLimiter(1, 0)
    expect(limiter.take(0)).toBe(0)
    expect(limiter.take(0)).toBe(1_000)
    expect(limiter.take(400)).toBe(600)
    expect(limiter.take(1_000)).toBe(0)
  })
})
