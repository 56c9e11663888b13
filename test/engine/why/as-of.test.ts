/** A number as it was at an earlier time: equal to what was computed then, or refused with the time from which it is certain. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ServiceError } from '../../../src/core/errors.ts'
import { HOUR_MS } from '../../../src/core/time.ts'
import { exportXml, record } from '../../connectors/files/exports.ts'
import { times } from '../../kit/effort.ts'
import { NOON } from '../../kit/harness.ts'
import { seed } from '../../kit/seed.ts'
import { DAY, PHONE, steps, WATCH, whyKit } from './kit.ts'

const kit = whyKit()
const iso = (ms: number) => new Date(ms).toISOString()
const imported = (hour: number, value: number) =>
  record('HKQuantityTypeIdentifierStepCount', String(value), 'count', {
    sourceName: 'Phone',
    startDate: `${DAY} 0${hour}:00:00 +0000`,
    endDate: `${DAY} 0${hour}:30:00 +0000`,
  })
const asleep = (source: string, from: string, to: string): string =>
  record('HKCategoryTypeIdentifierSleepAnalysis', 'HKCategoryValueSleepAnalysisAsleepCore', undefined, {
    ...{ sourceName: source, startDate: `2026-11-${from}:00 +0000`, endDate: `2026-11-${to}:00 +0000` },
  })
/** Lets an hour pass. Returns the time before. */
function pass(): string {
  const before = iso(kit.h.time.ms)
  kit.h.time.ms += HOUR_MS
  return before
}
const valueAsOf = async (as_of: string, query: object = {}) => (await kit.ask({ merge: true, as_of, ...query })).value
const refusedAsOf = (as_of: string, query: object = {}) => kit.refusal({ merge: true, as_of, ...query })

describe('a number as of an earlier time', () => {
  it('is what was computed then, or refused with a time from which it is right', async () => {
    const hour = fc.integer({ min: 0, max: 3 })
    const value = fc.integer({ min: 1, max: 9 })
    const change = fc.oneof(
      fc.record({ kind: fc.constant('push' as const), hour, value }),
      fc.record({ kind: fc.constant('import' as const), hour, value }),
      fc.record({ kind: fc.constant('undo' as const), which: fc.nat(3) }),
      { arbitrary: fc.record({ kind: fc.constant('delete' as const) }), weight: 1 },
    )
    let [exact, refused] = [0, 0]
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 2, maxLength: 8 }), async changes => {
        kit.h.time.ms += HOUR_MS
        kit.user_id = (await kit.h.call('user.create', { body: { client_user_id: `user-${kit.h.time.ms}` } })).user_id
        const imports: string[] = []
        const then = new Map<number, unknown>()
        const remember = async () => {
          then.set(kit.h.time.ms, (await kit.ask({ merge: true })).value)
          kit.h.time.ms += HOUR_MS
        }
        await remember()
        for (const each of changes) {
          if (each.kind === 'push') await kit.push(steps(`0${each.hour}:00`, `0${each.hour}:30`, each.value, PHONE))
          else if (each.kind === 'import') imports.push(await kit.load(exportXml(imported(each.hour, each.value))))
          else if (each.kind === 'delete') await kit.clear()
          else {
            const [import_id] = imports.splice(each.which % Math.max(1, imports.length), 1)
            if (import_id !== undefined) await kit.h.call('import.undo', { params: { import_id } })
          }
          await remember()
        }
        for (const [at, value] of then) {
          const asked = iso(at + HOUR_MS / 2)
          try {
            expect([asked, await valueAsOf(asked)]).toEqual([asked, value])
            exact++
          } catch (error) {
            if ((error as ServiceError).code !== 'history_incomplete') throw error
            const earliest = Date.parse(String((error as ServiceError).body['earliest']))
            expect(earliest).toBeGreaterThan(at + HOUR_MS / 2)
            const next = [...then].findLast(([time]) => time <= earliest)
            expect(await valueAsOf(iso(earliest))).toEqual(next?.[1])
            refused++
          }
        }
      }),
      { numRuns: times(20), seed },
    )
    // a deletion refuses every time before it, so how many are refused depends on the cases; both must have been tried
    expect([exact > 0, refused > 0]).toEqual([true, true])
  })

  it('does not have samples that came later, and has the former value of those that were replaced', async () => {
    await kit.push(steps('08:00', '09:00', 100, WATCH))
    const first = pass()
    await kit.push(steps('08:00', '09:00', 200, WATCH), steps('10:00', '11:00', 50, WATCH))
    pass()
    const why = await kit.ask({ as_of: first })
    expect(why).toMatchObject({ value: 100, question: { as_of: '2026-11-20T12:00:00+00:00' } })
    expect(why.origins).toMatchObject([{ kind: 'push', at: '2026-11-20T12:00:00+00:00' }])
    expect((await kit.ask()).value).toBe(250)
  })

  it('has the data of an import that was undone since', async () => {
    const id = await kit.load(exportXml(imported(8, 100)))
    const first = pass()
    await kit.h.call('import.undo', { params: { import_id: id } })
    pass()
    const why = await kit.ask({ as_of: first })
    expect([why.value, why.origins[0]?.import_id]).toEqual([100, id])
    expect((await kit.ask()).value).toBeNull()
  })

  it('is refused before a deletion, which keeps nothing, and says from when it can be computed', async () => {
    await kit.push(steps('08:00', '09:00', 100, WATCH))
    const first = pass()
    await kit.clear()
    pass()
    const refusal = await refusedAsOf(first)
    expect(refusal).toMatchObject({
      code: 'history_incomplete',
      status: 409,
      body: { earliest: '2026-11-20T13:00:00+00:00' },
    })
    expect(refusal.message).toMatch(/deleted after it\. It can from 2026-11-20T13:00:00\+00:00 on\.$/)
  })

  it('is refused before a history of a provider was received, whose events do not contain it', async () => {
    await kit.h.call('engine.seed', { body: { people: 1, days: 10 } })
    const [user] = (await kit.h.call('user.list', { query: {} })).users.filter(each => each.client_user_id !== 'ada')
    kit.user_id = String(user?.user_id)
    const query = { function: 'count', column: 'heartrate', period: '2026-11' }
    kit.h.time.ms += HOUR_MS
    expect(await refusedAsOf(iso(NOON - HOUR_MS), query)).toMatchObject({
      body: { earliest: '2026-11-20T12:00:00+00:00' },
    })
    expect(await valueAsOf(iso(NOON), query)).toBe((await kit.ask({ ...query, merge: true })).value)
  })

  it('is refused once retention has removed the events of that time', async () => {
    await kit.push(steps('08:00', '09:00', 100, WATCH))
    const first = pass()
    kit.h.time.ms += 60 * 24 * HOUR_MS
    await kit.push(steps('10:00', '11:00', 50, WATCH))
    await kit.h.call('engine.run_due', {})
    expect(await refusedAsOf(first)).toMatchObject({ code: 'history_incomplete' })
    expect(await valueAsOf(iso(kit.h.time.ms))).toBe(150)
  })

  it('refuses a time in the future', async () => {
    expect(await refusedAsOf('2027-01-01')).toMatchObject({ message: 'as_of: must not be in the future' })
    expect(await valueAsOf('2026-11-20')).toBeNull()
  })
})

describe('a night as of an earlier time', () => {
  const night = { column: 'sleep.duration_second', period: '2026-11-11' } as const

  it('has the version of that time, of imports and of events', async () => {
    await kit.load(exportXml(asleep('Watch', '10 23:00', '11 05:00')))
    const [none, first] = [iso(kit.h.time.ms - 1), pass()]
    const value = (await kit.ask({ ...night, merge: true })).value
    await kit.load(exportXml(asleep('Watch', '10 23:00', '11 07:00')))
    const second = pass()
    expect(await valueAsOf(none, night)).toBeNull()
    expect(await valueAsOf(first, night)).toBe(value)
    expect(await valueAsOf(second, night)).toBe((await kit.ask({ ...night, merge: true })).value)
  })

  it('is merged without corrections that were made later', async () => {
    await kit.load(
      exportXml([asleep('Watch', '10 23:00', '11 02:00'), asleep('Phone', '11 02:30', '11 07:00')].join('\n')),
    )
    const before = pass()
    const count = { ...night, function: 'count' }
    const nights = (await kit.ask({ ...count, merge: true })).value
    const members = (await kit.ask({ ...count, merge: true })).records.flatMap(each => each.members.map(({ id }) => id))
    const [session_id = '', other_session_id = ''] = members
    const params = { user_id: kit.user_id, session_id, other_session_id }
    await kit.h.call('aggregate.correct', { params, body: { verdict: nights === 1 ? 'different' : 'same' } })
    pass()
    expect((await kit.ask({ ...count, merge: true })).value).not.toBe(nights)
    expect(await valueAsOf(before, count)).toBe(nights)
    await kit.h.call('aggregate.undo_correction', { params })
    pass()
    expect(await refusedAsOf(before, count)).toMatchObject({ code: 'history_incomplete' })
  })
})
