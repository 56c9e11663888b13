import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { withingsConnector } from '../../../src/connectors/live/withings/connector.ts'
import type { PullWindow } from '../../../src/connectors/pull-window.ts'
import { DAY_MS, formatDate, SECOND_MS } from '../../../src/core/time.ts'
import { testSession } from '../../providers/test-session.ts'
import { type FakeWithings, openWithings } from '../../providers/withings/withings.ts'
import { between, pull } from './pulled.ts'

let withings: FakeWithings
beforeAll(async () => {
  withings = await openWithings()
})
afterAll(() => withings.close())
let account = ''
let people = 2000
beforeEach(() => {
  account = String(++people)
  withings.pageSize = 3
  withings.forget()
})

function session(scopes: readonly string[] = []) {
  const { accessToken } = withings.issue(account, scopes)
  return testSession(withings, withingsConnector, {
    grant: { accessToken, refreshToken: null, expiresAt: null, scopes: null, extra: {} },
  })
}

/** Returns adjacent windows, newest first, at times that are not whole seconds. */
const NOW = Date.parse('2026-11-20T21:15:00.500Z')
const WINDOWS: readonly PullWindow[] = Array.from({ length: 4 }, (_, i) => ({
  from: NOW - (i + 1) * 5 * DAY_MS,
  to: NOW - i * 5 * DAY_MS,
}))
const FIRST = Math.ceil((NOW - 20 * DAY_MS) / SECOND_MS)
const LAST = Math.floor(NOW / SECOND_MS)

/** `earlierMs`: how much earlier all windows are. */
async function allWindows(collection: string, earlierMs = 0) {
  const all = []
  for (const { from, to } of WINDOWS) {
    const window = { from: from - earlierMs, to: to - earlierMs }
    all.push(await pull(withingsConnector, session(), { collection, window, now: NOW - earlierMs }))
  }
  return {
    ids: all.flatMap(each => each.pages.flatMap(page => page.records.map(record => record.id))),
    samples: all.flatMap(each => each.samples),
  }
}

describe('adjacent windows', () => {
  it('lose no measure group, on any number of pages, and find old ones that arrived late', async () => {
    const dates = WINDOWS.flatMap(({ from }) => [-1, 0, 1, 2].map(each => Math.floor(from / SECOND_MS) + each))
    const within = dates.filter(date => date >= FIRST)
    withings.person(account).measuregrps = dates.map(date => ({
      grpid: date,
      attrib: 0,
      date,
      measures: [{ type: 1, value: 70, unit: 0 }],
    }))
    const late = FIRST - 900 * 86_400
    const measures = [{ type: 1, value: 71, unit: 0 }]
    withings.person(account).measuregrps.push({ grpid: late, attrib: 0, date: late, modified: LAST - 60, measures })
    const { ids } = await allWindows('getmeas')
    // the newest window uses the time of changes, so its first second also belongs to the window before
    expect([...new Set(ids.map(Number))].sort()).toEqual([...within, late].sort())
    expect(ids.length).toBeLessThanOrEqual(within.length + 2)
    expect(withings.requests.filter(each => each.form.has('offset')).length).toBeGreaterThan(2)
  })

  it.each([0, 500])('lose and repeat no point, although responses are cut off after a day (%d ms)', async earlierMs => {
    // with 500 ms, there is a point at a window boundary
    const first = FIRST - (earlierMs === 0 ? 0 : 1)
    const seconds = Array.from({ length: 480 }, (_, i) => first + i * 3600).filter(second => second <= LAST)
    withings.person(account).points = Object.fromEntries(seconds.map(second => [second, { heart_rate: 60 }]))
    const { samples } = await allWindows('getintradayactivity', earlierMs)
    expect(samples.map(each => Date.parse(each.start) / SECOND_MS).sort()).toEqual([...seconds].sort())
    for (const { form } of withings.requests) {
      expect(Number(form.get('enddate')) - Number(form.get('startdate'))).toBeLessThanOrEqual(86_400)
    }
  })

  it('lose and repeat no day, workout or night', async () => {
    const days = Array.from({ length: 19 }, (_, i) => formatDate(NOW - i * DAY_MS))
    const has = withings.person(account)
    has.activities = days.map(date => ({ date, timezone: 'Pacific/Auckland', steps: 5 }))
    const starts = days.map(date => Date.parse(`${date}T18:00:00Z`) / SECOND_MS)
    // the local date in Auckland is the next one
    const dateOf = (second: number): string => formatDate((second + 13 * 3600) * SECOND_MS)
    has.workouts = starts.map(start => ({
      id: start,
      startdate: start,
      enddate: start + 60,
      date: dateOf(start),
      data: {},
    }))
    has.nights = starts.map(start => ({
      id: start,
      startdate: start - 3600,
      enddate: start,
      date: dateOf(start),
      data: {},
    }))
    expect((await allWindows('getactivity')).ids.sort()).toEqual([...days].sort())
    expect((await allWindows('getworkouts')).ids.sort()).toEqual(starts.map(String).sort())
    expect((await allWindows('sleep')).ids.sort()).toEqual(starts.map(String).sort())
  })
})

describe('responses', () => {
  const DAY = between('2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z')
  const pullAll = (collection = 'getmeas', scopes: readonly string[] = []) =>
    pull(withingsConnector, session(scopes), { collection, window: DAY })

  it('may contain an empty list in place of an object', async () => {
    expect(await pullAll('getintradayactivity')).toMatchObject({ samples: [], unmapped: {} })
  })

  it('with nulls, wrong types and unknown fields lose only the invalid parts', async () => {
    const measure = { type: 1, value: 70, unit: 0 }
    const date = DAY.from / SECOND_MS
    withings.person(account).measuregrps = [
      { grpid: 1, date: null, measures: [measure] },
      {
        grpid: 2,
        date,
        measures: [measure, { type: 6, value: 'x', unit: 0 }, { type: 5, value: 1, unit: 400 }],
        news: 1,
      },
    ]
    const { samples, unmapped } = await pullAll()
    expect(samples.map(each => [each.resource, each.value])).toEqual([['body_weight', 70]])
    expect(unmapped).toEqual({})
    withings.person(account).nights = [{ id: 1, startdate: 5, enddate: 1, date: '2026-11-20' }]
    expect((await pullAll('sleep')).unmapped).toEqual({ 'getsummary (unreadable)': 1 })
  })

  it('report which scope was not granted', async () => {
    await expect(pullAll('getactivity', ['user.metrics'])).rejects.toMatchObject({ kind: 'scope_missing' })
  })
})
