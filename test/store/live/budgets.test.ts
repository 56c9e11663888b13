/** Request budgets: however several processes use them, no window ever has more requests than the limit allows. */
import { describe, expect, it } from 'vitest'
import { Stream } from '../../../src/core/random.ts'
import { takeFrom } from '../../../src/store/logic/live/budget-windows.ts'
import { seed } from '../../kit/seed.ts'
import { TEAM, USER } from '../user-store.ts'
import { linkedStore, MINUTE, NOW, PROVIDER } from './live-store.ts'

/** Returns the maximum number of requests in any window, for requests at these ascending times. */
function mostIn(sent: readonly number[], windowMs: number): number {
  let [most, first] = [0, 0]
  for (const [i, time] of sent.entries()) {
    while (time - (sent[first] as number) >= windowMs) first++
    most = Math.max(most, i - first + 1)
  }
  return most
}

describe('a budget', () => {
  it('never allows more than a limit in any window, whichever process sends, and whenever', () => {
    const stream = new Stream('budgets', seed)
    const upTo = (most: number): number => Math.floor(stream.next() * most)
    for (let round = 0; round < 60; round++) {
      const limits = Array.from({ length: 1 + upTo(3) }, () => ({ most: 1 + upTo(40), windowMs: 1 + upTo(20_000) }))
      const sent: number[] = []
      let taken = {}
      let now = NOW + upTo(1_000)
      let waits = 0
      for (let step = 0; step < 300; step++) {
        const outcome = takeFrom(taken, { limits, wanted: 1 + upTo(20), now })
        taken = outcome.taken
        const { allowed, validUntil, waitMs } = outcome.share
        for (let i = 0; i < allowed; i++) sent.push(now + upTo(validUntil - now))
        // it may be used again within the same sub-bucket
        now += stream.next() < 0.5 ? upTo(50) : upTo(3_000)
        if (allowed === 0) {
          waits++
          const after = takeFrom(taken, { limits, wanted: 1, now: now + waitMs })
          expect(after.share.allowed, `waits long enough (SVC_TEST_SEED=${seed})`).toBe(1)
        }
      }
      sent.sort((a, b) => a - b)
      for (const { most, windowMs } of limits)
        expect(mostIn(sent, windowMs), `SVC_TEST_SEED=${seed}`).toBeLessThanOrEqual(most)
      expect(sent.length + waits).toBeGreaterThan(0)
    }
  })

  it('is shared by simultaneous processes, separately for app and person', async () => {
    const store = await linkedStore()
    const { budgets } = store.live
    const request = { limits: [{ most: 10, windowMs: MINUTE }], wanted: 3, now: NOW }
    for (const userId of [null, USER]) {
      const shares = await Promise.all(Array.from({ length: 8 }, () => budgets.take(TEAM, PROVIDER, userId, request)))
      expect(shares.reduce((sum, { allowed }) => sum + allowed, 0)).toBe(10)
      for (const { allowed, validUntil, waitMs } of shares) {
        if (allowed > 0) expect(validUntil).toBe(NOW + MINUTE / 10)
        else expect(waitMs).toBe(MINUTE + MINUTE / 10)
      }
    }
    const { used } = await budgets.state(TEAM, PROVIDER, request)
    expect(used).toEqual([{ most: 10, windowMs: MINUTE, count: 10 }])
    const later = await budgets.take(TEAM, PROVIDER, null, { ...request, now: NOW + 2 * MINUTE })
    expect(later.allowed).toBe(3)
    await store.close()
  })

  it('allows no requests during a pause that the provider requested', async () => {
    const store = await linkedStore()
    const { budgets } = store.live
    const request = { limits: [{ most: 10, windowMs: MINUTE }], wanted: 3, now: NOW }
    await budgets.block(TEAM, PROVIDER, null, NOW + MINUTE)
    await budgets.block(TEAM, PROVIDER, null, NOW + 5)
    expect(await budgets.take(TEAM, PROVIDER, null, request)).toMatchObject({ allowed: 0, waitMs: MINUTE })
    expect((await budgets.state(TEAM, PROVIDER, request)).blockedUntil).toBe(NOW + MINUTE)
    expect((await budgets.take(TEAM, PROVIDER, USER, request)).allowed).toBe(3)
    expect((await budgets.take(TEAM, PROVIDER, null, { ...request, now: NOW + MINUTE })).allowed).toBe(3)
    await store.close()
  })
})
