/** A token bucket for each API key: allowed calls and refusals. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../src/core/errors.ts'
import { RateLimit } from '../../../src/server/guards/rate-limit.ts'
import { times } from '../../kit/effort.ts'
import { seed } from '../../kit/seed.ts'
import { serve } from '../../kit/server.ts'

const refusedBy = (limit: RateLimit, actor: 'local' | 'link_token' | `key:${string}` = 'key:a') => {
  try {
    limit.admit({ actor, team: null })
    return null
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
}

describe('a rate limit', () => {
  it('allows two seconds’ worth of calls at once, then its rate', () => {
    let now = 0
    const limit = new RateLimit(10, () => now)
    for (let i = 0; i < 20; i++) expect(refusedBy(limit)).toBeNull()
    const refused = refusedBy(limit)
    expect([refused?.status, refused?.headers['retry-after']]).toEqual([429, '1'])
    now += 100
    expect(refusedBy(limit)).toBeNull()
    expect(refusedBy(limit)?.code).toBe('rate_limited')
    now += 60_000
    for (let i = 0; i < 20; i++) expect(refusedBy(limit)).toBeNull()
    expect(refusedBy(limit)).not.toBeNull()
  })

  it('does not count one key’s calls against another', () => {
    const limit = new RateLimit(1, () => 0)
    for (let i = 0; i < 3; i++) refusedBy(limit, 'key:a')
    expect(refusedBy(limit, 'key:a')).not.toBeNull()
    expect(refusedBy(limit, 'key:b')).toBeNull()
    expect(refusedBy(limit, 'link_token')).toBeNull()
  })

  it('of 0 allows all calls', () => {
    const limit = new RateLimit(0, () => 0)
    for (let i = 0; i < 10_000; i++) limit.admit({ actor: 'key:a', team: null })
  })

  it('never allows more than its rate plus one burst, for any pattern of calls', () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 700 }), { minLength: 1, maxLength: 300 })
    fc.assert(
      fc.property(pauses, fc.integer({ min: 1, max: 20 }), (waits, rate) => {
        let now = 0
        const limit = new RateLimit(rate, () => now)
        const times: number[] = []
        for (const wait of waits) {
          now += wait
          if (refusedBy(limit) === null) times.push(now)
        }
        return times.every((time, i) => i + 1 <= rate * 2 + (time / 1000) * rate + 1e-6)
      }),
      { numRuns: times(80), seed, verbose: true },
    )
  })
})

describe('a server with a rate limit', () => {
  it('returns 429 with Retry-After and the documented body, and serves other keys', async () => {
    const server = await serve({ rateLimit: 2 })
    const made = await server.ask('POST', '/svc/v1/teams', { body: '{"name":"acme"}' })
    const { api_key } = made.json as { api_key: string }
    const responses = await Promise.all(Array.from({ length: 8 }, () => server.ask('GET', '/v2/user')))
    const refused = responses.filter(each => each.status === 429)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused[0]?.headers.get('retry-after')).toBe('1')
    expect(refused[0]?.headers.get('x-svc-error-code')).toBe('rate_limited')
    expect(refused[0]?.json).toEqual({ detail: 'Too many calls with this API key: at most 2 per second are allowed.' })
    expect((await server.ask('GET', '/v2/user', { key: api_key })).status).toBe(200)
    expect((await server.ask('GET', '/healthz', { key: null })).status).toBe(200)
  })
})
