/** The clock for all stored times: set, frozen and released. */
import { afterEach, describe, expect, it } from 'vitest'
import { engineNow } from '../../../src/engine/engine.ts'
import { type Harness, NOON, openHarness } from '../../kit/harness.ts'

const open: Harness[] = []
const harness = async (dataDir?: string) => {
  const made = await openHarness(dataDir === undefined ? {} : { dataDir })
  open.push(made)
  return made
}
afterEach(async () => {
  await Promise.all(open.splice(0).map(each => each.engine.close()))
})

const HOUR = 3_600_000
const at = (ms: number) => new Date(ms).toISOString().replace('.000Z', '+00:00')

describe('a frozen clock', () => {
  it('stands still in every process while real time passes', async () => {
    const h = await harness()
    expect(await h.call('clock.set', { body: { freeze: true } })).toMatchObject({ now: at(NOON), frozen: true })
    const other = await harness(h.dataDir)
    h.time.ms += HOUR
    other.time.ms += 5 * HOUR
    expect(await engineNow(h.engine.context)).toBe(NOON)
    expect(await other.call('clock.get', {})).toEqual({ now: at(NOON), offset_seconds: -5 * 3600, frozen: true })
    const made = await other.call('user.create', { body: { client_user_id: 'ada' } })
    const user = await h.call('user.get', { params: { user_id: made.user_id } })
    expect(user.created_on).toBe(at(NOON))
  })

  it('can be set and advanced, and stays frozen', async () => {
    const h = await harness()
    await h.call('clock.set', { body: { set: '2026-01-01T00:00:00Z', freeze: true } })
    h.time.ms += HOUR
    expect(await h.call('clock.set', { body: { advance: '2h' } })).toMatchObject({
      now: '2026-01-01T02:00:00+00:00',
      frozen: true,
    })
    h.time.ms += HOUR
    expect(await h.call('clock.set', { body: { set: '2025-06-01T12:00:00Z' } })).toMatchObject({ frozen: true })
    h.time.ms += HOUR
    expect((await h.call('clock.get', {})).now).toBe('2025-06-01T12:00:00+00:00')
  })

  it('continues from its time when released, and follows real time on request', async () => {
    const h = await harness()
    await h.call('clock.set', { body: { set: '2026-01-01T00:00:00Z', freeze: true } })
    h.time.ms += HOUR
    expect(await h.call('clock.set', { body: { freeze: false } })).toMatchObject({
      now: '2026-01-01T00:00:00+00:00',
      frozen: false,
    })
    h.time.ms += HOUR
    expect((await h.call('clock.get', {})).now).toBe('2026-01-01T01:00:00+00:00')
    await h.call('clock.set', { body: { freeze: true } })
    expect(await h.call('clock.set', { body: { follow: 'real_time' } })).toEqual({
      now: at(NOON + 2 * HOUR),
      offset_seconds: 0,
      frozen: false,
    })
  })

  it('makes work due when it is moved, which the next command runs', async () => {
    const h = await harness()
    await h.call('clock.set', { body: { freeze: true } })
    const { user_id } = await h.call('user.create', { body: { client_user_id: 'ada' } })
    await h.call('user.delete', { params: { user_id } })
    h.time.ms += 30 * 24 * HOUR
    expect((await h.call('engine.status', {})).due_jobs).toBe(0)
    await h.call('clock.set', { body: { advance: '7d' } })
    expect(await h.call('engine.run_due', {})).toMatchObject({ ran: [{ kind: 'purge', count: 1 }, { kind: 'scrub' }] })
  })

  it('moves by the sum of two simultaneous advances', async () => {
    const h = await harness()
    await Promise.all([1, 2, 3].map(() => h.call('clock.set', { body: { advance: '1d' } })))
    expect(await h.call('clock.get', {})).toMatchObject({ offset_seconds: 3 * 24 * 3_600 })
  })

  it.each([
    { freeze: 'yes' },
    { follow: 'real_time', freeze: true },
    { set: 'noon', freeze: true },
    { advance: '1d', set: '2026-01-01T00:00:00Z' },
    {},
  ])('refuses %j', async body => {
    const h = await harness()
    expect((await h.refusal('clock.set', { body: body as never })).status).toBe(422)
    expect(await h.call('clock.get', {})).toMatchObject({ frozen: false, offset_seconds: 0 })
  })
})
