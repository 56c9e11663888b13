/** The data page, in a real browser with a real engine: charts, nights, workouts, markers, downloads. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { describeConsole, type OpenOptions } from '../../kit/console.ts'
import { countInk, expectAccessible, expectFits } from './kit/checks.ts'

const PHONE = { viewport: { width: 360, height: 740 } }
const MINUTES = 3 * 1440
const BEGIN = Date.parse('2026-11-01T00:00+01:00')
const HOSTILE = '<img src=x onerror=alert(1)>'

const at = (minute: number): string => new Date(BEGIN + minute * 60_000).toISOString()
const local = { timezone_offset: 3600 }

/** Three days of heart rate from two sources, glucose with a meal and insulin, a night with stages, and a run with a stream. */
function everything(): string {
  const lines: object[] = []
  for (let minute = 0; minute < MINUTES; minute += 1) {
    const heartRate = { resource: 'heartrate', timestamp: at(minute), ...local }
    lines.push({ ...heartRate, value: 60 + (minute % 40), provider: 'garmin', source_type: 'watch' })
    if (minute % 5 === 0) lines.push({ ...heartRate, value: 62, provider: 'oura', source_type: 'ring' })
    if (minute % 15 === 0)
      lines.push({ resource: 'glucose', timestamp: at(minute), ...local, value: 5 + (minute % 60) / 15 })
  }
  const noon = at(720)
  lines.push({ resource: 'insulin_injection', timestamp: noon, ...local, value: 6, type: 'rapid_acting' })
  lines.push({ resource: 'note', timestamp: noon, ...local, value: HOSTILE, tags: ['lunch'] })
  const meal = { name: HOSTILE, energy: { unit: 'kcal', value: 640 } }
  lines.push({ summary: 'meal', id: 'lunch', at: '2026-11-01T12:00:00+01:00', document: meal })
  const [asleep, awake] = ['2026-11-01T22:00:00+00:00', '2026-11-02T05:00:00+00:00']
  const night = { bedtime_start: asleep, bedtime_stop: awake, type: 'long_sleep', ...local }
  const lengths = { duration: 25_200, total: 21_600, awake: 3_600, light: 10_800, rem: 5_400, deep: 5_400 }
  lines.push({ summary: 'sleep', id: 'night', at: awake, document: { ...night, ...lengths } })
  const parts = [
    [4, 0, 3_600],
    [2, 3_600, 14_400],
    [1, 14_400, 19_800],
    [3, 19_800, 25_200],
  ] as const
  const second = (seconds: number): string => new Date(Date.parse(asleep) + seconds * 1_000).toISOString()
  for (const [value, from, to] of parts)
    lines.push({ resource: 'hypnogram', start: second(from), end: second(to), value, ...local })
  const run = { time_start: at(600), time_end: at(630), title: HOSTILE, distance: 5_000, ...local }
  lines.push({ summary: 'workouts', id: 'run', at: at(600), document: run })
  const points = Array.from({ length: 181 }, (_, i) => i)
  const stream = {
    time_ms: points.map(i => BEGIN + 36_000_000 + i * 10_000),
    heartrate: points.map(i => 120 + (i % 20)),
    altitude: points.map(i => 200 + i / 10),
  }
  lines.push({ stream: 'run', at: at(600), ...stream })
  return lines.map(line => JSON.stringify(line)).join('\n')
}

describeConsole('a user’s data in the console', tests => {
  let user = ''

  beforeAll(async () => {
    const person = { client_user_id: HOSTILE, fallback_time_zone: 'Europe/Berlin' }
    const { json } = await tests.server.ask('POST', '/v2/user', { body: JSON.stringify(person) })
    user = (json as { user_id: string }).user_id
    const pushed = await tests.server.ask('POST', `/svc/v1/users/${user}/samples`, { body: everything() })
    expect(pushed.status, pushed.text).toBe(200)
  })

  const openAt = async (path: string, options?: OpenOptions): Promise<Page> => (await tests.open(path, options)).page
  const open = (resource: string, more = '', options: OpenOptions = {}): Promise<Page> =>
    openAt(`/console/data?user=${user}&resource=${resource}${more}`, options)
  const summary = (page: Page) => page.locator('.chart-texts')
  const startOf = (page: Page): string | null => new URL(page.url()).searchParams.get('start')

  it('can be found from the page without a user', async () => {
    const page = await openAt('/console/data')
    await page.getByRole('combobox', { name: 'User' }).fill('img src')
    await page.getByRole('option', { name: HOSTILE }).click()
    await page.getByLabel('Resource', { exact: true }).selectOption('Heart rate')
    await page.getByLabel('All sources').check()
    await summary(page).getByText('garmin · watch: 4,320 samples, 60 to 99').waitFor()
    await summary(page).getByText('oura · ring: 864 samples, 62, mean 62 bpm; first 62 at 1 Nov 2026, 00:00').waitFor()
    await page.getByText('5,184 samples in this period, as stored by each source and not merged').waitFor()
    expect(page.url()).toContain(`user=${user}&resource=heartrate`)
    await page.getByText('Preferred by queries').waitFor()
    await expectFits(page)
  })

  it('can be zoomed by key, wheel and dragging, and panned, and a link opens the same view', async () => {
    const page = await open('heartrate', '&sources=all&start=2026-11-01T00:00&end=2026-11-03T00:00')
    const chart = page.getByRole('application')
    await summary(page).getByText('2,880 samples').waitFor()
    await chart.press('+')
    await expect.poll(() => startOf(page)).toBe('2026-11-01T12:00')
    await summary(page).getByText('garmin · watch: 1,440 samples').waitFor()
    await chart.press('ArrowRight')
    await expect.poll(() => startOf(page)).toBe('2026-11-01T18:00')
    await page.getByRole('button', { name: /^Move .* to earlier/ }).click()
    await expect.poll(() => startOf(page)).toBe('2026-11-01T12:00')
    const box = await chart.locator('.u-over').boundingBox()
    if (box === null) throw new Error('The chart has no size.')
    const [y, left, right] = [box.y + box.height / 2, box.x + box.width * 0.25, box.x + box.width * 0.75]
    await page.mouse.move(left, y)
    await page.mouse.down()
    await page.mouse.move(right, y, { steps: 4 })
    await page.mouse.up()
    await expect.poll(() => startOf(page)).toMatch(/^2026-11-01T1[78]:/)
    await page.keyboard.down('Shift')
    await page.mouse.down()
    await page.mouse.move(left, y, { steps: 4 })
    await page.mouse.up()
    await page.keyboard.up('Shift')
    await expect.poll(() => startOf(page)).toMatch(/^2026-11-0(1T23|2T0)/)
    const before = startOf(page)
    await page.mouse.wheel(0, -200)
    await expect.poll(() => startOf(page)).not.toBe(before)
    const text = await summary(page).textContent()
    await page.reload()
    await expect.poll(() => summary(page).textContent()).toBe(text)
    await expectFits(page)
  })

  it('can be moved by keys that follow each other at once', async () => {
    const page = await open('heartrate', '&sources=all&start=2026-11-01T00:00&end=2026-11-03T00:00')
    await summary(page).getByText('2,880 samples').waitFor()
    // the page is drawn again in a microtask, before the next frame
    await page.evaluate(`(async () => {
      const chart = document.querySelector('[role=application]')
      const press = key => chart.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
      press('+')
      for (let i = 0; i < 20; i++) await Promise.resolve()
      press('ArrowRight')
    })()`)
    await expect.poll(() => startOf(page)).toBe('2026-11-01T18:00')
  })

  it('can be hidden by source, and is also listed in a table', async () => {
    const page = await open('heartrate', '&sources=all&start=2026-11-02&end=2026-11-03')
    const rows = page.getByRole('table').getByRole('row')
    await page.getByText('1 to 12 of 1,728 samples').waitFor()
    await page.getByLabel('garmin · watch').uncheck()
    await page.getByText('1 to 12 of 288 samples').waitFor()
    await page.reload()
    await page.getByText('1 to 12 of 288 samples').waitFor()
    expect(await rows.nth(1).textContent()).toBe('2 Nov 2026, 00:0062 bpmoura · ring')
    await page.getByRole('button', { name: 'Next' }).click()
    expect(await rows.nth(1).textContent()).toBe('2 Nov 2026, 01:0062 bpmoura · ring')
  })

  it('can be downloaded as CSV and Parquet, or printed with the command shown', async () => {
    const page = await open('glucose', '&start=2026-11-02&end=2026-11-03')
    const saved = async (name: string): Promise<Buffer> => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name }).click()])
      return readFileSync(await download.path())
    }
    const csv = (await saved('Download CSV')).toString().trim().split('\n')
    expect(csv).toHaveLength(1 + 96)
    expect(csv[1]).toContain('2026-11-01T23:00:00+00:00')
    expect((await saved('Download Parquet')).subarray(0, 4).toString()).toBe('PAR1')
    const words = `svc timeseries get ${user} glucose --start 2026-11-01T23:00:00Z --end 2026-11-02T22:59:59Z`
    await page.getByText(words).waitFor()
  })

  it('includes meals and insulin with glucose', async () => {
    const page = await open('glucose')
    const signs = page.getByRole('group', { name: 'Meals and insulin', exact: true }).getByRole('row')
    await signs.nth(2).waitFor()
    const texts = await signs.allTextContents()
    expect(texts.slice(1).sort()).toEqual([
      '1 Nov 2026, 12:00InsulinInsulin 6 units rapid-acting',
      `1 Nov 2026, 12:00MealMeal: ${HOSTILE}, 640 kcal`,
    ])
    await expectAccessible(page)
  })

  it('includes nights, shown as stages', async () => {
    const page = await open('sleep')
    await page.getByText('4 stages: Awake 1 h 0 min in 1 part, REM 1 h 30 min in 1 part').waitFor()
    await page.getByText('1 Nov 2026, 23:00 to 2 Nov 2026, 06:00 (7 h 0 min)').waitFor()
    await page.getByText('Stages as a table').click()
    await page.getByRole('group', { name: 'Stages' }).getByText('Deep').waitFor()
    await expectAccessible(page)
    await expectFits(page)
  })

  it('includes a workout’s stream', async () => {
    const page = await open('workouts', '', PHONE)
    await page.getByText('Heart rate: 181 samples, 120 to 139').waitFor()
    await page.getByText('Altitude: 181 samples, 200 to 218').waitFor()
    await page.getByText('Points as a table').click()
    await page.getByText('1 to 15 of 181 points').waitFor()
    await expectAccessible(page)
    await expectFits(page)
  })

  it('is drawn without lines across days without data, and with bars for sums', async () => {
    const days = Array.from({ length: 20 }, (_, day) => day).filter(day => day !== 8 && day !== 13)
    const lines = days.flatMap(day => {
      const noon = at(day * 1440 + 720)
      return [
        { resource: 'body_weight', timestamp: noon, ...local, value: 70 + (day % 4) },
        { resource: 'steps', start: noon, end: noon, ...local, value: 4_000 + 500 * (day % 6) },
      ]
    })
    const { json } = await tests.server.ask('POST', '/v2/user', { body: JSON.stringify({ client_user_id: 'gaps' }) })
    const { user_id: id } = json as { user_id: string }
    const body = lines.map(line => JSON.stringify(line)).join('\n')
    expect((await tests.server.ask('POST', `/svc/v1/users/${id}/samples`, { body })).status).toBe(200)
    const shown = (resource: string) =>
      openAt(`/console/data?user=${id}&resource=${resource}&start=2026-11-01&end=2026-11-21`)
    const weight = await shown('body_weight')
    await weight.getByText('18 samples').first().waitFor()
    // at three o'clock at night there is a line between two noons, if neither is missing
    await expect.poll(() => countInk(weight, 3.625 / 20)).toBeGreaterThan(0)
    for (const day of [7.75, 8.25, 8.625, 12.75, 13.25, 13.625])
      expect(await countInk(weight, day / 20), `${day}`).toBe(0)
    const steps = await shown('steps')
    await steps.getByText('18 samples').first().waitFor()
    // a bar is taller than the dot of a line
    await expect.poll(() => countInk(steps, 3.505 / 20)).toBeGreaterThan(100)
    for (const day of [3.9, 8.505, 13.505]) expect(await countInk(steps, day / 20), `${day}`).toBe(0)
  })

  it("starts with the user's own days, including the newest", async () => {
    const person = { client_user_id: 'west', fallback_time_zone: 'America/Los_Angeles' }
    const { json } = await tests.server.ask('POST', '/v2/user', { body: JSON.stringify(person) })
    const { user_id: id } = json as { user_id: string }
    const date = '2026-11-20'
    const document = { date: `${date}T00:00:00+00:00`, calendar_date: date, steps: 4_321 }
    const evening = { resource: 'steps', start: `${date}T21:00:00-08:00`, end: `${date}T22:00:00-08:00`, value: 900 }
    const lines = [{ summary: 'activity', id: 'day', at: `${date}T00:00:00+00:00`, document }, evening]
    const body = lines.map(line => JSON.stringify(line)).join('\n')
    const pushed = await tests.server.ask('POST', `/svc/v1/users/${id}/samples`, { body })
    expect(pushed.status, pushed.text).toBe(200)
    for (const [resource, text] of [
      ['activity', '4,321'],
      ['steps', '900'],
    ] as const) {
      const page = await openAt(`/console/data?user=${id}&resource=${resource}`)
      await page.getByRole('cell', { name: text }).first().waitFor()
      expect(await page.getByLabel('From').inputValue()).toBe('2026-11-14')
      expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe(date)
    }
  })

  // 25 hours apart, so that the browser's own day is another one for at least one of them
  it.each(['Pacific/Kiritimati', 'Pacific/Niue'])('can be queried with today’s date in %s', async zone => {
    const today = () => new Date().toLocaleDateString('en-CA', { timeZone: zone })
    const person = { client_user_id: zone, fallback_time_zone: zone }
    const { json } = await tests.server.ask('POST', '/v2/user', { body: JSON.stringify(person) })
    const before = today()
    const page = await openAt(`/console/query?user=${(json as { user_id: string }).user_id}`)
    const until = page.getByLabel('Until')
    await expect.poll(async () => [before, today()].includes(await until.inputValue())).toBe(true)
  })

  it('includes notes and other summaries unchanged', async () => {
    const notes = await open('note', '', PHONE)
    await notes.getByRole('cell', { name: HOSTILE }).waitFor()
    await expectFits(notes)
    const meals = await open('meal')
    await meals.getByText('manual · unknown: 1 sample, 640, mean 640 kcal').first().waitFor()
    await meals.getByRole('columnheader', { name: 'Energy, kcal' }).waitFor()
    await expectAccessible(meals)
    await expectFits(meals)
  })
})
