/** Merged data in the console, in a real browser with a real engine: charts, nights, days and queries of several sources. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { describeConsole, type OpenOptions, PHONE } from '../../kit/console.ts'
import { expectAccessible, expectFits } from './kit/checks.ts'
import { api } from './kit/filled.ts'

const DAYS = 3
const BEGIN = Date.parse('2026-11-01T00:00+01:00')
const at = (day: number, minute: number): string => new Date(BEGIN + (day * 1440 + minute) * 60_000).toISOString()
const local = { timezone_offset: 3600 }
const WATCH = { provider: 'apple_health_kit', source_type: 'watch', ...local }
const PHONE_SOURCE = { provider: 'apple_health_kit', source_type: 'phone', ...local }
const RING = { provider: 'oura', source_type: 'ring', ...local }
const range = (length: number): readonly number[] => Array.from({ length }, (_, i) => i)

/** Each day: 400 steps an hour by the watch from 8 to 18, and 700 by the phone until 22; HRV as SDNN and as RMSSD; a heart rate of both. */
function samplesOf(day: number): object[] {
  const steps = (hour: number) => ({ resource: 'steps', start: at(day, hour * 60), end: at(day, hour * 60 + 60) })
  return [
    ...range(10).map(i => ({ ...steps(8 + i), value: 400, ...WATCH })),
    ...range(14).map(i => ({ ...steps(8 + i), value: 700, ...PHONE_SOURCE })),
    ...range(144).map(i => ({ resource: 'heartrate', timestamp: at(day, i * 10), value: 60 + (i % 3) * 10, ...WATCH })),
    ...range(72).map(i => ({ resource: 'heartrate', timestamp: at(day, i * 20), value: 58, ...RING })),
    ...range(16).flatMap(i => [
      { resource: 'hrv', timestamp: at(day, i * 30), value: 40, type: 'sdnn', ...WATCH },
      { resource: 'hrv', timestamp: at(day, i * 30 + 5), value: 70, ...RING },
    ]),
  ]
}

/** Each day: a night of the watch and the ring, a nap of the ring, a run of the watch and another app's copy of it, and a summary. */
function summariesOf(day: number): object[] {
  const sleep = (id: string, source: typeof RING, [from, to]: readonly [number, number], more: object) => ({
    ...{ summary: 'sleep', id: `${id}-${day}`, at: at(day, to), ...source },
    document: {
      ...{ bedtime_start: at(day, from), bedtime_stop: at(day, to), type: 'long_sleep', ...local, ...more },
      ...{ duration: (to - from) * 60, total: (to - from - 30) * 60, awake: 1_800, light: (to - from - 150) * 60 },
    },
  })
  const stages = { rem: 3_600, deep: 3_600 }
  const nap = { type: 'acknowledged_nap', total: 1_800, light: 1_200, rem: 0, deep: 600 }
  const run = (id: string, source: typeof RING, start: number, more: object) => ({
    ...{ summary: 'workouts', id: `${id}-${day}`, at: at(day, start), ...source },
    document: {
      ...{ time_start: at(day, start), time_end: at(day, 645), sport: { id: 1, name: 'Running', slug: 'running' } },
      ...{ ...local, ...more },
    },
  })
  const date = `2026-11-0${day + 1}`
  return [
    sleep('watch', WATCH, [1_400, 1_840], { ...stages, hr_lowest: 48 }),
    sleep('ring', RING, [1_390, 1_850], { ...stages, score: 81, average_hrv: 66 }),
    sleep('nap', RING, [840, 880], nap),
    run('watch-run', WATCH, 600, { title: 'Morning run', distance: 7_000, average_hr: 150, max_hr: 170 }),
    run('copy', { ...RING, provider: 'strava', source_type: 'app' }, 601, { title: 'Lunch run', calories: 500 }),
    {
      ...{ summary: 'activity', id: `day-${day}`, at: `${date}T00:00:00+00:00`, ...WATCH },
      document: { date: `${date}T00:00:00+00:00`, calendar_date: date, steps: 5_200 },
    },
  ]
}

const lines = (items: readonly object[]): string => items.map(each => JSON.stringify(each)).join('\n')

describeConsole('merged data in the console', tests => {
  let user = ''

  beforeAll(async () => {
    const person = { client_user_id: 'ada', fallback_time_zone: 'Europe/Berlin' }
    user = (await api<{ user_id: string }>(tests.server, 'POST', '/v2/user', person)).user_id
    const all = range(DAYS).flatMap(day => [...samplesOf(day), ...summariesOf(day)])
    const isRing = (item: object) => 'provider' in item && item.provider === 'oura'
    const imported = `/svc/v1/users/${user}/imports`
    await api(tests.server, 'POST', `/svc/v1/users/${user}/samples`, lines(all.filter(item => !isRing(item))))
    await api(tests.server, 'POST', imported, lines(all.filter(isRing)))
  })

  const openAt = async (path: string, options?: OpenOptions): Promise<Page> => (await tests.open(path, options)).page
  const open = (resource: string, more = '', options: OpenOptions = {}): Promise<Page> =>
    openAt(`/console/data?user=${user}&resource=${resource}&start=2026-11-01&end=2026-11-05${more}`, options)
  /** Returns the position in the first chart at a share of its width. */
  const pixelOf = async (page: Page, share: number) =>
    ((await page.locator('.u-over').first().boundingBox())?.width ?? 0) * share
  const card = (page: Page, name: string | RegExp) => page.getByRole('region', { name })

  it('explains the number of a day, on the day and in the table of a chart of days', async () => {
    const page = await openAt(`/console/data/day?user=${user}&day=2026-11-02`)
    await page.getByRole('button', { name: 'Why this number? Steps' }).click()
    const dialog = page.getByRole('dialog', { name: 'Why this number?' })
    await dialog.getByText('6,800').first().waitFor()
    const text = (await dialog.textContent()) ?? ''
    expect(text).toContain('apple_health_kit · watch (59')
    expect(text).toContain('Left out')
    expect(text).toContain('10 rows')
    expect(text).toContain("svc why 'sum(steps)'")
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    const month = await openAt(`/console/data?user=${user}&resource=steps&start=2026-10-01&end=2026-11-30`)
    await month.getByRole('button', { name: /^Why this number\? Merged, 2026-11-02/ }).click()
    await month.getByRole('dialog').getByText('6,800').first().waitFor()
    await month.keyboard.press('Escape')
    // the second of the two months begins in the middle of the chart, and the second of November is behind it
    await month.locator('.u-over').click({ position: { x: await pixelOf(month, 32.5 / 60), y: 100 } })
    await month.getByRole('dialog').getByText('sum(steps.value) of Mon 2 Nov 2026').waitFor()
  })

  it('explains the numbers of a query by day, week or month, and says if a query covers only a part', async () => {
    const arg = { timeseries: 'steps', field: 'value' }
    const runBy = async (unit: string, anchor: string, more: object = {}): Promise<Page> => {
      const group_by = [{ date_trunc: { unit, value: 1 }, arg: { index: 'timeseries' } }]
      const select = [{ group_key: '*' }, { func: 'sum', arg }, { func: 'mean', arg }]
      const timeframe = { type: 'relative', anchor, past: { unit: 'day', value: 1 } }
      const query = JSON.stringify({ timeframe, queries: [{ select, group_by, ...more }] })
      const page = await openAt(`/console/query?user=${user}&query=${encodeURIComponent(query)}`)
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByRole('group', { name: 'Result' }).getByRole('row').nth(1).waitFor()
      return page
    }
    const page = await runBy('day', '2026-11-03', { merge: true })
    await page.getByRole('button', { name: 'Why this number? sum(steps.value), 2026-11-02' }).click()
    const dialog = page.getByRole('dialog', { name: 'Why this number?' })
    await dialog.getByText('sum(steps.value) of Mon 2 Nov 2026').waitFor()
    await dialog.getByText('6,800').first().waitFor()
    expect(await dialog.textContent()).toContain("svc why 'sum(steps.value)'")
    expect(await dialog.textContent()).not.toContain('The query covers')
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await page.locator('.u-over').click({ position: { x: await pixelOf(page, 0.25), y: 40 } })
    await dialog.getByLabel('Number', { exact: true }).selectOption('mean(steps.value), 2026-11-02')
    await dialog.getByText('mean(steps.value) of Mon 2 Nov 2026').waitFor()
    await page.keyboard.press('Escape')
    const week = await runBy('week', '2026-11-02')
    await week.getByRole('button', { name: 'Why this number? sum(steps.value), 2026-W45' }).click()
    await week.getByText('The query covers only a part of this period, for which it shows 4,000.').waitFor()
    const hours = await runBy('hour', '2026-11-02')
    await hours.getByText('Only numbers of a day, a week, a month or a year can be explained').waitFor()
    expect(await hours.getByRole('button', { name: /^Why/ }).count()).toBe(0)
  })

  it('says why a query that merges sources cannot be saved', async () => {
    const page = await openAt(`/console/query?user=${user}`)
    const save = page.getByRole('button', { name: 'Save', exact: true })
    expect(await save.getAttribute('aria-disabled')).toBe('false')
    await page.getByLabel('Merge sources').check()
    await page.getByText('A query that merges sources cannot be saved.').waitFor()
    expect(await save.getAttribute('aria-disabled')).toBe('true')
  })

  it('counts each time of an amount once, and names the sources with their shares', async () => {
    const page = await open('steps')
    // 10 × 400 of the watch and 4 × 700 of the phone a day
    await page.getByText('Merged: 20,400 in total, 400 to 700 per hour.').waitFor()
    const text =
      'Merged from apple_health_kit · watch (59 %) and apple_health_kit · phone (41 %), as shares of the amount.'
    await page.getByText(text.replaceAll(' %', '\u00a0%')).waitFor()
    const rows = card(page, 'Merged values').getByRole('row')
    expect(await rows.nth(1).textContent()).toBe('Sun 1 Nov, 08:00400apple_health_kit · watch')
    expect(await rows.nth(11).textContent()).toBe('Sun 1 Nov, 18:00700apple_health_kit · phone')
    await page.getByText('not merged').waitFor()
    await expectAccessible(page)
    await page.getByLabel('All sources').check()
    await page.getByText('72 samples in this period, as stored by each source and not merged').waitFor()
    expect(new URL(page.url()).searchParams.get('sources')).toBe('all')
    await page.reload()
    await page.getByText('apple_health_kit · phone: 42 samples, 700').waitFor()
    await page.getByLabel('Merged', { exact: true }).check()
    await page.getByText('Merged: 20,400 in total').waitFor()
    expect(new URL(page.url()).searchParams.has('sources')).toBe(false)
  })

  it('uses finer buckets once it is zoomed in', async () => {
    const page = await open('steps')
    await page.getByText('The chart shows the amount of every hour.').waitFor()
    const chart = page.getByRole('application')
    await chart.press('+')
    await chart.press('+')
    await page.getByText('The chart shows the amount of every 15 minutes.').waitFor()
  })

  it('has one source of a level on each day, and says which source is not used', async () => {
    const page = await open('heartrate', '', { viewport: PHONE })
    await page.getByText('All from apple_health_kit · watch.').waitFor()
    await page.getByText('Not used in this period: oura · ring.').waitFor()
    await page.getByText('Merged: 432 samples, 60 to 80, mean 70 bpm').waitFor()
    await expectFits(page)
  })

  it('has a series for each kind of value, merged and stored', async () => {
    const page = await open('hrv')
    const summary = page.locator('.chart-texts li')
    await summary.getByText('Merged · SDNN: 48 samples, 40, mean 40 ms').waitFor()
    await summary.getByText('Merged · RMSSD: 48 samples, 70, mean 70 ms').waitFor()
    expect(await summary.count()).toBe(2)
    await page.getByText('Merged · RMSSD: all from oura · ring.').waitFor()
    const stored = await open('hrv', '&sources=all')
    await stored.getByText('apple_health_kit · watch · SDNN: 48 samples, 40').waitFor()
    await stored.getByText('oura · ring: 48 samples, 70').waitFor()
  })

  it('shows a night of two sources as one, with the source of each value, and naps apart', async () => {
    const page = await open('sleep')
    const night = card(page, 'Night of Wed 4 Nov 2026, apple_health_kit · watch, oura · ring')
    await night.getByText('Main sleep').waitFor()
    await night.getByText('3 Nov 2026, 23:20 to 4 Nov 2026, 06:40 (7 h 20 min)').waitFor()
    await night.getByText('81, from oura · ring').waitFor()
    await night.getByText('48 bpm', { exact: true }).waitFor()
    await night.getByText('overlap 1.00, starts 10 min apart, ends 10 min apart').waitFor()
    await page.getByText('1 to 3 of 3 nights').waitFor()
    await page.getByText('1 to 3 of 3 naps').waitFor()
    await expectAccessible(page)
    await night.getByRole('button', { name: 'Open the stored session of oura · ring' }).click()
    await card(page, 'Night of Wed 4 Nov 2026, oura · ring').getByText('Stored session').waitFor()
    await page.getByText('1 to 9 of 9 nights').waitFor()
    await page.goBack()
    await night.getByText('81, from oura · ring').waitFor()
    const phone = await open('sleep', '', { viewport: PHONE })
    await expectFits(phone)
  })

  it('shows a workout and its copy as one', async () => {
    const page = await open('workouts')
    const run = card(page, 'Morning run, 3 Nov 2026, 10:00')
    await run.getByText('500 kcal, from strava · app').waitFor()
    await run.getByText('Merged from 2 stored sessions').waitFor()
    await page.getByText('1 to 3 of 3 workouts').waitFor()
    await run.getByRole('button', { name: 'Open the stored session of strava · app' }).click()
    await card(page, 'Lunch run, 3 Nov 2026, 10:01').getByText('Stored session').waitFor()
    await page.getByText('1 to 6 of 6 workouts').waitFor()
  })

  it('shows a day with merged values, kinds, nights and workouts', async () => {
    const page = await openAt(`/console/data/day?user=${user}&day=2026-11-03`)
    const day = card(page, 'Values of the day')
    const shares = 'apple_health_kit · watch (59\u00a0%) and apple_health_kit · phone (41\u00a0%)'
    await day.getByText(`6,800, from ${shares}`).waitFor()
    await day.getByText('Not used: oura · ring (another source counts on that day)').waitFor()
    await day.getByText('40 ms, from apple_health_kit · watch').waitFor()
    await day.getByText('70 ms, from oura · ring').waitFor()
    await day.getByText('HRV has values of different kinds (SDNN and RMSSD).').waitFor()
    await expectAccessible(page)
    await expectFits(page)
    await page.getByRole('button', { name: 'Previous day' }).click()
    await page.getByRole('heading', { level: 1, name: 'Mon 2 Nov 2026' }).waitFor()
    await day.getByText('6,800').waitFor()
    await page.getByRole('link', { name: '2 Nov 2026, 10:00 to 10:45' }).click()
    await card(page, 'Morning run, 2 Nov 2026, 10:00').getByText('500 kcal, from strava · app').waitFor()
  })

  it('merges sources and splits kinds in a query, and shows the warnings about the result', async () => {
    const arg = (timeseries: string) => ({ timeseries, field: 'value' })
    const select = [
      { group_key: '*' },
      { func: 'sum', arg: arg('steps') },
      { func: 'mean', arg: { timeseries: 'hrv', field: 'value' } },
    ]
    const group_by = [{ date_trunc: { unit: 'week', value: 1 }, arg: { index: 'timeseries' } }]
    const timeframe = { type: 'relative', anchor: '2026-11-03', past: { unit: 'day', value: 1 } }
    const query = encodeURIComponent(JSON.stringify({ timeframe, queries: [{ select, group_by }] }))
    const page = await openAt(`/console/query?user=${user}&query=${query}`)
    const run = () => page.getByRole('button', { name: 'Run', exact: true }).click()
    const warnings = page.getByRole('list', { name: 'Warnings' })
    await run()
    await page.getByRole('cell', { name: '8,000' }).waitFor()
    await warnings.getByText('Steps: 1 other source was left out in 1 of 1 group. Choose “Merge sources”').waitFor()
    await expectAccessible(page)
    await page.getByLabel('Merge sources').check()
    await run()
    await page.getByRole('cell', { name: '13,600' }).waitFor()
    await expect.poll(() => warnings.count()).toBe(0)
    await page.getByLabel('Mixed kinds').selectOption('One value for each kind')
    await run()
    await page.getByRole('columnheader', { name: 'HRV kind' }).waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('query')).toContain('"mixed_kinds": "split"')
  })

  it('warns about mixed kinds', async () => {
    const select = [{ func: 'mean', arg: { timeseries: 'hrv', field: 'value' } }]
    const timeframe = { type: 'relative', anchor: '2026-11-03', past: { unit: 'day', value: 2 } }
    const query = encodeURIComponent(JSON.stringify({ timeframe, queries: [{ select }] }))
    const page = await openAt(`/console/query?user=${user}&query=${query}`)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page
      .getByText('HRV: the result mixes RMSSD (48 samples) and SDNN (48 samples), which are not comparable.')
      .waitFor()
  })
})
