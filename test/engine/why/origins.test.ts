/** How data came into the store: each sample and summary names its import, push or pull. */
import { describe, expect, it } from 'vitest'
import type { WhyDocument } from '../../../src/contract/aggregates/why.ts'
import { exportXml, record } from '../../connectors/files/exports.ts'
import { NOON } from '../../kit/harness.ts'
import { DAY, steps, WATCH, whyKit } from './kit.ts'

const kit = whyKit()
const originsOf = ({ samples, origins }: WhyDocument) => samples.map(({ origin }) => origins[origin])
const imported = (value: number, hour = '08') =>
  exportXml(
    record('HKQuantityTypeIdentifierStepCount', String(value), 'count', {
      sourceName: 'Phone',
      startDate: `${DAY} ${hour}:00:00 +0000`,
      endDate: `${DAY} ${hour}:30:00 +0000`,
    }),
  )

describe('a sample', () => {
  it('names the import that brought its value, with time and format', async () => {
    const first = await kit.load(imported(100))
    kit.h.time.ms = NOON + 60_000
    const second = await kit.load(imported(200))
    const [origin] = originsOf(await kit.ask())
    expect(origin).toMatchObject({
      kind: 'import',
      import_id: second,
      format: 'apple_health',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      at: '2026-11-20T12:01:00+00:00',
    })
    await kit.h.call('import.undo', { params: { import_id: second } })
    expect(originsOf(await kit.ask())[0]?.import_id).toBe(first)
  })

  it('that was pushed names the push and its event', async () => {
    await kit.push(steps('08:00', '09:00', 100, WATCH))
    const [origin] = originsOf(await kit.ask())
    expect(origin).toMatchObject({
      kind: 'push',
      import_id: null,
      provider: 'garmin',
      at: '2026-11-20T12:00:00+00:00',
    })
    const { data } = await kit.h.call('event.list', { query: { event_type: 'daily.data.steps.created' } as never })
    expect(data.map(({ event_id }) => event_id)).toContain(origin?.event_id)
  })

  it('of a simulated provider is called simulated', async () => {
    await kit.h.call('engine.seed', { body: { people: 1, days: 10 } })
    const [user] = (await kit.h.call('user.list', { query: {} })).users.filter(
      ({ client_user_id }) => client_user_id !== 'ada',
    )
    const query = { function: 'count', column: 'heartrate', period: '2026-11' }
    const why = await kit.h.call('aggregate.why', { params: { user_id: String(user?.user_id) }, query })
    expect(why.origins.map(({ kind }) => kind)).toEqual(why.origins.map(() => 'simulated'))
    expect(why.origins.length).toBeGreaterThan(0)
  })
})

describe('a night', () => {
  it('names the import of its version', async () => {
    const id = await kit.load(
      exportXml(
        record('HKCategoryTypeIdentifierSleepAnalysis', 'HKCategoryValueSleepAnalysisAsleepCore', undefined, {
          sourceName: 'Watch',
          startDate: '2026-11-10 23:00:00 +0000',
          endDate: '2026-11-11 07:00:00 +0000',
        }),
      ),
    )
    const why = await kit.ask({ column: 'sleep.duration_second', period: '2026-11-11' })
    expect(why.origins).toMatchObject([{ kind: 'import', import_id: id, format: 'apple_health' }])
  })
})
