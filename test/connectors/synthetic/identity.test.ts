/** The identity of a synthetic person: a stable profile, and cycles that follow each other without a gap. */
import { describe, expect, it } from 'vitest'
import { SHIPPED_REGISTRY } from '../../../src/catalogue/providers.ts'
import { LocalCalendar } from '../../../src/connectors/synthetic/calendar.ts'
import { deriveIdentity, identitySummaries } from '../../../src/connectors/synthetic/identity.ts'
import { menstrualCycles } from '../../../src/connectors/synthetic/menstrual-cycle.ts'
import { drawTraits } from '../../../src/connectors/synthetic/traits.ts'
import { DAY_MS, formatDate } from '../../../src/core/time.ts'

const TODAY = Date.UTC(2026, 10, 20)
const users = Array.from({ length: 40 }, (_, i) => `0b8f0f9e-1111-4222-8333-4444555566${10 + i}`)

describe('a profile', () => {
  it('is the same at every provider, for women and men', () => {
    const sexes = users.map(userId => deriveIdentity('seed', userId, drawTraits('seed', userId)).sex)
    expect(new Set(sexes)).toEqual(new Set(['female', 'male']))
    const [userId] = users as [string]
    const profiles = ['whoop', 'renpho', 'fitbit'].map(slug => {
      const provider = SHIPPED_REGISTRY.find(slug)
      if (!provider) throw new Error(slug)
      const traits = drawTraits('seed', userId)
      const calendar = new LocalCalendar('Europe/Berlin')
      const [profile] = identitySummaries({
        seed: 'seed',
        userId,
        provider,
        traits,
        calendar,
        first: TODAY,
        today: TODAY,
      })
      return profile
    })
    for (const each of profiles) expect(each?.document).toEqual(profiles[0]?.document)
    expect(new Set(profiles.map(each => each?.id)).size).toBe(3)
    expect(profiles[0]?.document['birth_date']).toMatch(/^(19|20)\d\d-\d\d-\d\d$/)
  })

  it('has no cycles for men', () => {
    const provider = SHIPPED_REGISTRY.find('whoop')
    if (!provider) throw new Error('whoop')
    for (const userId of users) {
      const traits = drawTraits('seed', userId)
      const calendar = new LocalCalendar(null)
      const context = { seed: 'seed', userId, provider, traits, calendar, first: TODAY - 30 * DAY_MS, today: TODAY }
      const kinds = new Set(identitySummaries(context).map(each => each.kind))
      expect(kinds.has('menstrual_cycle')).toBe(deriveIdentity('seed', userId, traits).sex === 'female')
    }
  })
})

describe('menstrual cycles', () => {
  it('follow each other without a gap; only the last one is open', () => {
    for (const userId of users.slice(0, 12)) {
      const cycles = menstrualCycles('seed', userId, TODAY - 365 * DAY_MS, TODAY)
      expect(cycles.length).toBeGreaterThan(10)
      for (const [i, { dateMs, document }] of cycles.entries()) {
        const next = cycles[i + 1]
        expect(document['period_start']).toBe(formatDate(dateMs))
        expect(document['cycle_end']).toBe(next ? formatDate(next.dateMs - DAY_MS) : null)
        const last = formatDate(next ? next.dateMs - DAY_MS : TODAY)
        const dates = Object.values(document)
          .filter(Array.isArray)
          .flatMap(list => (list as { date: string }[]).map(each => each.date))
        expect(dates.filter(date => date < formatDate(dateMs) || date > last)).toEqual([])
      }
    }
  })

  it('are the same when requested later, except for the current one', () => {
    const [userId] = users as [string]
    const early = menstrualCycles('seed', userId, TODAY - 90 * DAY_MS, TODAY)
    const late = menstrualCycles('seed', userId, TODAY - 90 * DAY_MS, TODAY + 9 * DAY_MS)
    expect(late.slice(0, early.length - 1)).toEqual(early.slice(0, -1))
    expect(late[early.length - 1]).not.toEqual(early.at(-1))
  })
})
