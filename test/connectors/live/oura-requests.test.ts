import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ouraConnector } from '../../../src/connectors/live/oura/connector.ts'
import type { ProviderError } from '../../../src/connectors/provider-session.ts'
import type { PullWindow } from '../../../src/connectors/pull-window.ts'
import { DAY_MS, formatDate } from '../../../src/core/time.ts'
import { type FakeOura, openOura } from '../../providers/oura/oura.ts'
import { testSession } from '../../providers/test-session.ts'
import { between, iso, pull } from './pulled.ts'

let oura: FakeOura
beforeAll(async () => {
  oura = await openOura()
})
afterAll(() => oura.close())
let account = ''
let people = 0
beforeEach(() => {
  account = `person-${++people}`
  oura.pageSize = 7
  oura.forget()
})

function session(scopes: readonly string[] = []) {
  const { accessToken } = oura.issue(account, scopes)
  return testSession(oura, ouraConnector, {
    grant: { accessToken, refreshToken: null, expiresAt: null, scopes: null, extra: {} },
  })
}

async function failure(work: Promise<unknown>): Promise<ProviderError> {
  return work.then(
    () => {
      throw new Error('it did not fail')
    },
    (error: unknown) => error as ProviderError,
  )
}

/** Returns adjacent windows, newest first, as a history pull requests them. */
const NOW = Date.parse('2026-11-20T21:15:00Z')
const WINDOWS: readonly PullWindow[] = Array.from({ length: 4 }, (_, i) => ({
  from: NOW - (i + 1) * 5 * DAY_MS,
  to: NOW - i * 5 * DAY_MS,
}))
const DAYS = Array.from({ length: 20 }, (_, i) => formatDate(NOW - i * DAY_MS)).slice(0, -1)

async function idsOfAllWindows(collection: string): Promise<readonly string[]> {
  const ids: string[] = []
  for (const window of WINDOWS) {
    const { pages } = await pull(ouraConnector, session(), { collection, window, now: NOW })
    ids.push(...pages.flatMap(each => each.records).map(each => each.id))
  }
  return ids.sort()
}

describe('adjacent windows', () => {
  it.each(['daily_activity', 'daily_spo2', 'vO2_max'])('lose and repeat no document of %s', async collection => {
    // the newest day has begun in the east, and not yet in UTC
    const days = [...DAYS, formatDate(NOW + DAY_MS)]
    oura.person(account).documents[collection] = days.map(day => ({ id: day, day, timestamp: `${day}T04:00:00+13:00` }))
    expect(await idsOfAllWindows(collection)).toEqual([...days].sort())
  })

  it('lose and repeat no workout although their range uses UTC dates', async () => {
    oura.person(account).documents['workout'] = DAYS.flatMap(day => [
      { id: `${day} west`, day, start_datetime: `${day}T22:00:00-11:00`, end_datetime: `${day}T23:00:00-11:00` },
      { id: `${day} east`, day, start_datetime: `${day}T01:00:00+13:00`, end_datetime: `${day}T02:00:00+13:00` },
    ])
    expect(await idsOfAllWindows('workout')).toEqual(DAYS.flatMap(day => [`${day} east`, `${day} west`]).sort())
  })

  it('lose and repeat no heart rate, and never request more than 30 days', async () => {
    oura.pageSize = 1000
    const from = NOW - 70 * DAY_MS
    oura.person(account).heartrate = Array.from({ length: 70 * 24 * 4 }, (_, i) => ({
      timestamp: new Date(from + i * 900_000).toISOString().replace('Z', '+00:00'),
      bpm: 40 + (i % 100),
      source: 'awake',
    }))
    const { samples, unmapped } = await pull(ouraConnector, session(), {
      collection: 'heartrate',
      window: { from, to: NOW },
    })
    expect(samples.length).toBe(70 * 24 * 4)
    expect(new Set(samples.map(each => each.start)).size).toBe(70 * 24 * 4)
    expect(samples[1]).toEqual({
      resource: 'heartrate',
      sourceType: 'ring',
      start: iso(from + 900_000),
      value: 41,
      offset: null,
      text: { type: 'awake' },
    })
    expect(unmapped).toEqual({})
  })
})

describe('a document in an event', () => {
  it('is read alone, with the score of its day', async () => {
    const has = oura.person(account)
    const night = (id: string) => ({
      id,
      day: '2026-11-20',
      type: 'long_sleep',
      bedtime_start: '2026-11-19T23:00:00+01:00',
      bedtime_end: '2026-11-20T07:00:00+01:00',
    })
    has.documents['sleep'] = [night('a/b'), night('other')]
    has.documents['daily_sleep'] = [{ id: 's', day: '2026-11-20', score: 66 }]
    const asked = { collection: 'sleep', window: between('2026-11-19T00:00:00Z', '2026-11-20T00:00:00Z') }
    const { pages, summaries } = await pull(ouraConnector, session(), { ...asked, recordId: 'a/b' })
    expect(pages[0]?.records.map(each => each.id)).toEqual(['a/b'])
    expect(summaries[0]?.document).toMatchObject({ score: 66, duration: 28_800 })
  })
})

describe('bad responses', () => {
  const DAY = between('2026-11-19T00:00:00Z', '2026-11-21T00:00:00Z')
  const pullDays = () => pull(ouraConnector, session(), { collection: 'daily_activity', window: DAY })

  it('with nulls, wrong types and unknown fields lose only the invalid parts', async () => {
    // the types of a test document are those of a faulty provider
    oura.person(account).documents['daily_activity'] = [
      null,
      { id: 'a', day: '2026-13-99' },
      { id: null, day: '2026-11-20' },
      {
        id: 'b',
        day: '2026-11-20',
        timestamp: 'yesterday',
        steps: 'many',
        active_calories: null,
        'a b': 1,
        [`${'x'.repeat(90)}`]: 2,
      },
      { id: 'c', day: '2026-11-19', timestamp: '2026-11-19T04:00:00Z', steps: 5 },
    ].filter(each => each !== null) as never
    const { samples, summaries, unmapped } = await pullDays()
    expect(summaries.map(each => each.document['steps'])).toEqual([null, 5])
    expect(samples.map(each => each.value)).toEqual([5])
    expect(unmapped).toEqual({
      'daily_activity (unreadable)': 1,
      'daily_activity.a b': 1,
      'other fields': 1,
    })
  })

  it('are distinguished from a scope that was not granted', async () => {
    const asked = { collection: 'heartrate', window: DAY }
    expect(await failure(pull(ouraConnector, session(['daily']), asked))).toMatchObject({ kind: 'scope_missing' })
  })
})
