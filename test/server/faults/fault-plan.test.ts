/** Which requests faults hit: by method and path, in a sequence that the seed determines, and never where they must not. */
import { describe, expect, it } from 'vitest'
import { FaultPlan } from '../../../src/server/faults/fault-plan.ts'
import type { Fault, FaultRecord } from '../../../src/store/fault.ts'

const fault = (more: Partial<Fault> = {}): Fault => ({
  method: null,
  path: '/*',
  effect: { kind: 'status', status: 503 },
  probability: 1,
  times: null,
  seed: null,
  ...more,
})
const kept = (faultId: number, more: Partial<Fault> = {}): FaultRecord => ({ ...fault(more), faultId, createdAt: 0 })
const isHit = (more: Partial<Fault>, method: string, path: string) =>
  new FaultPlan([fault(more)], 'x').hits(method, path, []).length === 1
const sequence = (plan: FaultPlan, count = 200, store: readonly FaultRecord[] = []) =>
  Array.from({ length: count }, () => (plan.hits('GET', '/v2/user/1', store).length > 0 ? '1' : '0')).join('')

describe('a fault', () => {
  it.each([
    ['/*', '/v2/user'],
    ['/v2/timeseries/*', '/v2/timeseries/1/steps/grouped'],
    ['/v2/user/{user_id}', '/v2/user/1'],
    ['/v2/user/{user_id}', '/v2/user/1/'],
    ['/v2/user', '/v2/user/'],
    ['/*/user', '/v2/user'],
    ['/v2/a+b(c)', '/v2/a+b(c)'],
    ['/svc/v1/clock', '/svc/v1/clock'],
    ['/*', '/'],
  ])('on %s hits %s', (path, expected) => {
    expect(isHit({ path }, 'GET', expected)).toBe(true)
  })

  it.each([
    ['/v2/user', '/v2/users'],
    ['/v2/user', '/v2/user/1'],
    ['/v2/user/{user_id}', '/v2/user/1/info'],
    ['/v2/user/{user_id}', '/v2/user/'],
    ['/v2/.*', '/v2/user'],
    ['/*', '/healthz'],
    ['/*', '/readyz'],
    ['/*', '/metrics'],
    ['/*', '/svc/v1/clock'],
    ['/svc/*', '/svc/v1/faults'],
    ['/svc/*', '/svc/v1/faults/'],
    ['/svc/v1/faults', '/svc/v1/faults'],
    ['/healthz', '/healthz'],
  ])('on %s does not affect %s', (path, expected) => {
    expect(isHit({ path }, 'GET', expected)).toBe(false)
  })

  it('applies to its method only', () => {
    expect(isHit({ method: 'POST' }, 'POST', '/v2/user')).toBe(true)
    expect(isHit({ method: 'POST' }, 'GET', '/v2/user')).toBe(false)
  })

  it('hits according to its probability, and the same requests with the same seed', () => {
    const plan = () => new FaultPlan([fault({ probability: 0.2 })], 'seed')
    const once = sequence(plan(), 5_000)
    expect(sequence(plan(), 5_000)).toBe(once)
    const share = once.replaceAll('0', '').length / once.length
    expect(share).toBeGreaterThan(0.17)
    expect(share).toBeLessThan(0.23)
    expect(sequence(new FaultPlan([fault({ probability: 0.2 })], 'other'), 5_000)).not.toBe(once)
    expect(sequence(new FaultPlan([fault({ probability: 0.2, seed: 'seed' })], 'other'), 5_000)).toBe(once)
  })

  it('decides independently of other faults', () => {
    const alone = sequence(new FaultPlan([fault({ probability: 0.3 })], 'x'))
    const plan = new FaultPlan([fault({ probability: 0.5, path: '/v2/*' }), fault({ probability: 0.3 })], 'x')
    const beside = Array.from({ length: 200 }, () =>
      plan.hits('GET', '/v2/user/1', []).some(hit => hit.id === 'serve-2') ? '1' : '0',
    ).join('')
    expect(beside).toBe(alone)
  })

  it('stops after its number of hits', () => {
    expect(sequence(new FaultPlan([fault({ times: 3 })], 'x'), 6)).toBe('111000')
  })
})

describe('a pattern with several stars', () => {
  it('is fast on a long path that does not match', () => {
    const path = '/v2/*/a/*/a/*/raw'
    const began = performance.now()
    expect(isHit({ path }, 'GET', `/v2${'/a'.repeat(15_000)}`)).toBe(false)
    expect(performance.now() - began).toBeLessThan(1_000)
    expect(isHit({ path }, 'GET', `/v2${'/a'.repeat(15_000)}/raw`)).toBe(true)
  })
})

describe('stored faults', () => {
  it('keep their state while others are added and removed, and restart under a new number', () => {
    const plan = new FaultPlan([], 'x')
    const alone = sequence(new FaultPlan([fault({ probability: 0.5 })], 'x'), 100)
    expect(sequence(plan, 10)).toBe('0000000000')
    const first = sequence(plan, 50, [kept(1, { probability: 0.5 })])
    const more = [kept(1, { probability: 0.5 }), kept(2, { path: '/v2/none' })]
    expect(first + sequence(plan, 50, more)).toBe(alone)
    expect(sequence(plan, 10)).toBe('0000000000')
    expect(sequence(plan, 50, [kept(3, { probability: 0.5 })])).toBe(alone.slice(0, 50))
  })
})
