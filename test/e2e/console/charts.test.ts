/** Charts of the console, in a real browser with a real engine: buckets, gaps, ranges, linked charts and compared periods. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { describeConsole, type OpenOptions, PHONE } from '../../kit/console.ts'
import { countInk, expectAccessible, expectFits } from './kit/checks.ts'
import { api } from './kit/filled.ts'

const MONDAY = Date.parse('2026-10-19T00:00Z')
const at = (day: number, minute = 0): string => new Date(MONDAY + (day * 1440 + minute) * 60_000).toISOString()
const range = (length: number): readonly number[] => Array.from({ length }, (_, i) => i)
const WATCH = { provider: 'garmin', source_type: 'watch' }
/** A Thursday and a Saturday in the second week without steps. */
const MISSING = [10, 12]
const BY_DAY = { date_trunc: { unit: 'day', value: 1 } }

/**
 * Two weeks of steps at noon, and on every second day of the first week a weight. The last day has glucose, a meal with insulin, and a
 * night with stages, heart rate and variability.
 */
function everything(): string {
  const noons = range(14).filter(day => !MISSING.includes(day))
  const steps = noons.map(day => ({ start: at(day, 720), end: at(day, 780), value: day < 7 ? 1_000 : 2_000 }))
  const weight = [0, 2, 4, 6].map(day => ({ timestamp: at(day), value: 70 + day }))
  const days = range(7).map(day => ({
    ...{ summary: 'activity', id: `day-${day}`, at: at(day), ...WATCH },
    document: { date: at(day), calendar_date: at(day).slice(0, 10), steps: 5_000, heart_rate: { avg_bpm: 70 + day } },
  }))
  const glucose = range(96).map(i => ({ timestamp: at(13, i * 15), value: i < 24 ? 3 : i < 48 ? 12 : 6 }))
  const night = range(49).map(i => ({ timestamp: at(13, i * 10), value: 50 + (i % 5) }))
  const stages = [4, 2, 1, 3].map((value, i) => ({ start: at(13, i * 120), end: at(13, i * 120 + 120), value }))
  const of = (resource: string, samples: readonly object[]) => samples.map(each => ({ resource, ...each, ...WATCH }))
  const sleep = { bedtime_start: at(13), bedtime_stop: at(13, 480), type: 'long_sleep', timezone_offset: 0 }
  const lengths = { duration: 28_800, total: 21_600, awake: 7_200, light: 7_200, rem: 7_200, deep: 7_200 }
  const lines = [
    ...[...of('steps', steps), ...of('glucose', glucose), ...of('heartrate', night), ...of('hrv', night)],
    ...[...of('body_weight', weight), ...of('hypnogram', stages), ...days],
    { summary: 'sleep', id: 'night', at: at(13, 480), ...WATCH, document: { ...sleep, ...lengths } },
    { summary: 'meal', id: 'meal', at: at(13, 720), document: { name: 'Lunch' } },
    { resource: 'insulin_injection', timestamp: at(13, 730), value: 6, type: 'rapid_acting' },
  ]
  return lines.map(line => JSON.stringify(line)).join('\n')
}

describeConsole('charts in the console', tests => {
  let user = ''

  beforeAll(async () => {
    user = (await api<{ user_id: string }>(tests.server, 'POST', '/v2/user', { client_user_id: 'ada' })).user_id
    await api(tests.server, 'POST', `/svc/v1/users/${user}/samples`, everything())
  })

  const openAt = async (path: string, options?: OpenOptions): Promise<Page> => (await tests.open(path, options)).page
  const open = (resource: string, more: string, options: OpenOptions = {}): Promise<Page> =>
    openAt(`/console/data?user=${user}&resource=${resource}${more}`, options)
  /** Opens a query for one number of a resource, grouped by the given keys, and runs it. */
  const runQuery = async (func: string, timeseries: string, ...groups: readonly object[]): Promise<Page> => {
    const arg = { timeseries, field: 'value' }
    const group_by = groups.map(each => ({ ...each, arg: { index: 'timeseries' } }))
    const timeframe = { type: 'relative', anchor: '2026-11-01', past: { unit: 'day', value: 13 } }
    const query = { timeframe, queries: [{ select: [{ group_key: '*' }, { func, arg }], group_by }] }
    const page = await openAt(`/console/query?user=${user}&query=${encodeURIComponent(JSON.stringify(query))}`)
    await press(page, 'Run')
    return page
  }
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

  it('show buckets as people write them, with the exact form as the tooltip', async () => {
    const page = await runQuery('sum', 'steps', BY_DAY, { date_part: 'hour' })
    const row = page.getByRole('group', { name: 'Result' }).getByRole('row').nth(1)
    await row.waitFor()
    expect(await row.getByRole('cell').allTextContents()).toEqual(['Mon 19 Oct', '12:00', '1,000'])
    expect(await row.locator('time').getAttribute('title')).toBe('2026-10-19T00:00:00')
    await page.locator('.u-over').hover({ position: { x: 30, y: 40 } })
    await page.locator('.chart-readout', { hasText: 'Mon 19 Oct 2026 · Steps, sum 1,000' }).waitFor()
    await press(page, 'Explain')
    await page.getByRole('cell', { name: 'Mon 19 Oct 2026, 12:00', exact: true }).waitFor()
    await expectAccessible(page)
  })

  it.each([
    ['week', 'week of 19 Oct'],
    ['month', 'October 2026'],
    ['hour', 'Mon 19 Oct, 12:00'],
  ])('show a %s as "%s"', async (unit, text) => {
    const page = await runQuery('sum', 'steps', { date_trunc: { unit, value: 1 } })
    await page.getByRole('cell', { name: text, exact: true }).waitFor()
  })

  /** Returns the ink of a query's chart at a day, whose axis has a margin of 2 % around the first and the last day. */
  const inkAt = (page: Page, day: number, days: number) => countInk(page, (day / days + 0.02) / 1.04)

  it('draw sums as bars and levels as lines, and leave days without data empty', async () => {
    const steps = await runQuery('sum', 'steps', BY_DAY)
    await expect.poll(() => inkAt(steps, 3.5, 14)).toBeGreaterThan(50)
    for (const day of MISSING) expect(await inkAt(steps, day + 0.5, 14), `${day}`).toBe(0)
    // every second day has a value, so the days without one are known only from the query
    const weight = await runQuery('mean', 'body_weight', BY_DAY)
    await expect.poll(() => inkAt(weight, 2, 6)).toBeGreaterThan(0)
    for (const day of [1, 3, 5]) expect(await inkAt(weight, day, 6), `${day}`).toBe(0)
    const activity = await open('activity', '&field=heart_rate.avg_bpm&start=2026-10-19&end=2026-10-26')
    await expect.poll(() => countInk(activity, 1.5 / 7)).toBeGreaterThan(0)
    expect(await countInk(activity, 1.5 / 7)).toBeLessThan(20)
    await activity.getByLabel('Value to draw').selectOption('Steps taken')
    await expect.poll(() => countInk(activity, 1.5 / 7)).toBeGreaterThan(50)
  })

  it('show the target range of glucose, with the share of values in it, and the symbols of meals and insulin', async () => {
    const page = await open('glucose', '&start=2026-11-01&end=2026-11-02')
    const shares = page.locator('.data-shares figcaption')
    await shares.waitFor()
    const texts = 'Below: 25 %In the target range: 50 %Above: 25 %of 96 values; the target range is 3.9 to 10 mmol/L'
    expect(await shares.textContent()).toBe(texts.replaceAll(' %', '\u00a0%'))
    const symbols = page.getByRole('list', { name: 'Symbols in the chart' })
    expect(await symbols.getByRole('listitem').allTextContents()).toEqual(['Insulin', 'Meal'])
    await expectAccessible(page)
    // the first half of the day has the values outside the range
    await page.goto(page.url().replace('end=2026-11-02', 'end=2026-11-01T12:00'))
    await expect.poll(() => shares.textContent()).toContain('of 48 values')
    const phone = await open('glucose', '', { viewport: PHONE })
    await phone.locator('.data-shares').waitFor()
    await expectFits(phone)
  })

  it('count the values of several merged sources once', async () => {
    const person = await api<{ user_id: string }>(tests.server, 'POST', '/v2/user', { client_user_id: 'two-sensors' })
    const lines = ['dexcom', 'freestyle_libre'].flatMap((provider, source) =>
      range(20).map(i => ({
        resource: 'glucose',
        timestamp: at(0, i * 5 + source),
        value: i < 5 ? 12 : 6,
        provider,
        source_type: 'automatic',
      })),
    )
    await api(
      tests.server,
      'POST',
      `/svc/v1/users/${person.user_id}/samples`,
      lines.map(each => JSON.stringify(each)).join('\n'),
    )
    const page = await openAt(`/console/data?user=${person.user_id}&resource=glucose`)
    const shares = page.locator('.data-shares figcaption')
    await expect.poll(() => shares.textContent()).toContain('of 20 values')
    expect(await shares.textContent()).toContain('Above: 25\u00a0%')
    await page.getByLabel('All sources').check()
    await expect.poll(() => shares.textContent()).toContain('of 40 values')
  })

  it('show the stages, heart rate and variability of a night on one axis, with one cursor and one readout', async () => {
    const page = await open('sleep', '&start=2026-11-01&end=2026-11-02')
    await page.locator('.u-over').nth(2).waitFor()
    const lefts = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.u-over')].flatMap(each => [each.getBoundingClientRect().left, each.getBoundingClientRect().width])`,
    )
    expect(new Set(lefts).size, `${lefts}`).toBe(2)
    const [box] = [await page.locator('.u-over').nth(1).boundingBox()]
    if (!box) throw new Error('The chart has no size.')
    // 8 hours from midnight: at three quarters of them, the last stage begins
    await page
      .locator('.u-over')
      .nth(1)
      .hover({ position: { x: box.width * (400 / 480), y: 20 } })
    const readout = page.locator('.chart-readout')
    expect(await readout.count()).toBe(1)
    await readout
      .filter({ hasText: '1 Nov 2026, 06:40 · Stages REM · Heart rate 50 bpm · Heart rate variability 50 ms' })
      .waitFor()
    const cursors = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.u-cursor-x')].map(each => each.getBoundingClientRect().left.toFixed(0))`,
    )
    expect(cursors).toHaveLength(3)
    expect(new Set(cursors).size, `${cursors}`).toBe(1)
    await page.getByRole('application', { name: 'Stages' }).press('+')
    await page.getByText('Heart rate: 24 samples').waitFor()
    await expectAccessible(page)
    const phone = await open('sleep', '', { viewport: PHONE })
    await phone.locator('.u-over').nth(2).waitFor()
    await expectFits(phone)
  })

  it('show several resources under one another, with one time range and one cursor, and a link opens the same charts', async () => {
    const page = await open('heartrate', '&start=2026-11-01&end=2026-11-02')
    await page.getByText('Heart rate, bpm').first().waitFor()
    await page.getByLabel('Add a chart of').selectOption('HRV')
    await page.getByLabel('Add a chart of').selectOption('Glucose')
    await expect.poll(() => new URL(page.url()).searchParams.get('with')).toBe('hrv|glucose')
    await page.locator('.u-over').nth(2).waitFor()
    await page.reload()
    const glucose = page.getByRole('region', { name: 'Glucose, mmol/L', exact: true })
    await glucose.getByText('garmin · watch: 96 samples').waitFor()
    const below = page.getByRole('region', { name: 'HRV, ms', exact: true })
    await below.getByText('garmin · watch: 49 samples').waitFor()
    await page.getByRole('application', { name: 'HRV, ms' }).press('+')
    await glucose.getByText('garmin · watch: 48 samples').waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('start')).toBe('2026-11-01T06:00')
    await page
      .locator('.u-over')
      .first()
      .hover({ position: { x: 5, y: 20 } })
    const readout = page.locator('.chart-readout')
    expect(await readout.count()).toBe(1)
    await expect.poll(() => readout.textContent()).toMatch(/Heart rate: .* bpm · HRV: .* ms · Glucose: .* 12 mmol/)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Remove the chart of HRV' }).click()
    await below.waitFor({ state: 'detached' })
    expect(new URL(page.url()).searchParams.get('with')).toBe('glucose')
    const phone = await open('heartrate', '&with=hrv|steps', { viewport: PHONE })
    await phone.getByRole('region', { name: 'Steps', exact: true }).getByText('samples').waitFor()
    await expectFits(phone)
  })

  it('compare a week with the one before, or with any other, and the URL contains the choice', async () => {
    const page = await open('steps', '&start=2026-10-26&end=2026-11-02')
    await page.getByLabel('Compare with').selectOption('The period before')
    const rows = page.getByRole('group', { name: 'Comparison' }).getByRole('row')
    await rows.nth(1).waitFor()
    expect(new URL(page.url()).searchParams.get('compare')).toBe('before')
    const texts = async () =>
      (await Promise.all((await rows.all()).map(row => row.locator('th, td').allTextContents()))).slice(0, 4)
    const percent = (text: string) => text.replaceAll(' %', '\u00a0%')
    expect(await texts()).toEqual([
      ['Number', 'Mon 26 Oct to Sun 1 Nov', 'Mon 19 Oct to Sun 25 Oct', 'Difference'],
      ['Total', '10,000', '7,000', percent('+3,000 (+43 %)')],
      ['Mean of the days with data', '2,000', '1,000', percent('+1,000 (+100 %)')],
      ['Number of days with data', '5', '7', percent('\u22122 (\u221229 %)')],
    ])
    const days = page.getByRole('group', { name: 'Day by day' }).getByRole('row')
    expect(await days.nth(4).getByRole('cell').allTextContents()).toEqual(['Thu 29 Oct', 'Thu 22 Oct', '', '1,000'])
    await page.locator('.u-over').hover({ position: { x: 10, y: 40 } })
    await page
      .locator('.chart-readout', {
        hasText: 'Mon 26 Oct 2026 · Mon 26 Oct to Sun 1 Nov 2,000 · Mon 19 Oct to Sun 25 Oct 1,000',
      })
      .waitFor()
    await expectAccessible(page)
    await page.getByLabel('Compare with').selectOption('Another period')
    await page.getByLabel('Other period from').fill('2026-10-20')
    await expect.poll(() => new URL(page.url()).searchParams.get('compare')).toBe('2026-10-20')
    await page.reload()
    await page.getByRole('columnheader', { name: 'Tue 20 Oct to Mon 26 Oct', exact: true }).first().waitFor()
    expect((await texts())[1]).toEqual(['Total', '10,000', '8,000', percent('+2,000 (+25 %)')])
    const level = await open('body_weight', '&start=2026-10-23&end=2026-10-27&compare=before', { viewport: PHONE })
    await level.getByRole('cell', { name: '+4 kg' }).waitFor()
    await expectFits(level)
  })
})
