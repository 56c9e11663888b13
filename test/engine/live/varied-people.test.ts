/** The people at the fake providers of `npm run providers` have nights, and varied days. */
import { describe, expect, it } from 'vitest'
import { openHarness } from '../../kit/harness.ts'
import { LIVE_CASES } from '../../providers/live-cases.ts'
import { variedDay } from '../../providers/varied/day.ts'
import { linked, refresh } from './linked-account.ts'

const DAY_MS = 86_400_000

/** The data that differs from day to day in addition to the nights. Dexcom has no nights. */
const SERIES: Readonly<Record<string, string>> = {
  oura: 'steps',
  withings: 'body_weight',
  whoop_v2: 'hrv',
  polar: 'steps',
  google_health: 'steps',
  dexcom_v3: 'glucose',
}

describe.each(LIVE_CASES)('the person at the fake provider for $provider', ({ provider, open }) => {
  it('has nights with stages, and varied days', async () => {
    const { fake, settings = {} } = await open()
    const h = await openHarness()
    h.time.ms = Date.now()
    const user_id = await linked(h, fake, provider, settings)
    const start_date = new Date(h.time.ms - 21 * DAY_MS).toISOString().slice(0, 10)
    // a day may take its own request
    await h.call('user.patch', { params: { user_id }, body: { ingestion_start: start_date } })
    await refresh(h, user_id, provider)
    const rows = async (resource: 'sleep' | 'sleep_cycle') => {
      const response = await h.call('summary.get', { params: { user_id, resource }, query: { start_date } })
      return response[resource] as readonly Readonly<Record<string, number>>[]
    }
    const page = await h.call('timeseries.grouped', {
      params: { user_id, resource: SERIES[provider] ?? '' },
      query: { start_date },
    })
    const values = Object.values(page.groups).flatMap(groups => groups.flatMap(({ data }) => data))
    expect(new Set(values.map(each => each['value'])).size).toBeGreaterThan(4)
    if (provider === 'dexcom_v3') return
    const nights = await rows('sleep')
    expect(nights.length).toBeGreaterThan(15)
    expect(new Set(nights.map(each => each['total'])).size).toBeGreaterThan(8)
    for (const { total = 0, light = 0, rem = 0, deep = 0 } of nights) {
      expect(total).toBeGreaterThan(3 * 3_600)
      expect(total).toBeLessThan(11 * 3_600)
      expect(light + rem + deep).toBe(total)
    }
    // WHOOP has no stages by time
    if (provider !== 'whoop_v2') expect((await rows('sleep_cycle')).length).toBeGreaterThan(15)
  })
})

describe('a varied day', () => {
  it('is the same in every run, with parts of the night in order', () => {
    const noon = Date.UTC(2026, 10, 20, 12)
    expect(variedDay(noon)).toEqual(variedDay(noon + 1_000))
    for (let n = 0; n < 400; n++) {
      const { steps, night } = variedDay(noon - n * DAY_MS)
      expect(steps).toBeGreaterThan(3_000)
      night.parts.forEach((part, i) => {
        expect(part.end).toBeGreaterThan(part.start)
        if (i > 0) expect(part.start).toBe(night.parts[i - 1]?.end)
      })
    }
  })
})
