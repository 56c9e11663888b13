/** The page of a day, in a real browser with a real engine: charts with one cursor, the night, workouts and lab results. */
import { beforeAll, expect, it } from 'vitest'
import { labTests } from '../../../src/catalogue/labs/lab-tests.ts'
import { describeConsole, PHONE } from '../../kit/console.ts'
import { expectAccessible, expectFits } from './kit/checks.ts'
import { api } from './kit/filled.ts'

const DAY_MS = 86_400_000
const WATCH = { provider: 'garmin', source_type: 'watch' }
const range = (length: number): readonly number[] => Array.from({ length }, (_, i) => i)

describeConsole('the page of a day', tests => {
  let user = ''
  let today = ''
  /** Minutes after the midnight of the engine's day, in UTC, which is the user's zone. */
  const at = (minute: number): string => new Date(Date.parse(today) + minute * 60_000).toISOString()

  beforeAll(async () => {
    const call = <T>(path: string, body: unknown) => api<T>(tests.server, 'POST', path, body)
    const { now } = await call<{ now: string }>('/svc/v1/clock', { freeze: true })
    today = now.slice(0, 10)
    user = (await call<{ user_id: string }>('/v2/user', { client_user_id: 'ada' })).user_id
    const of = (resource: string, samples: readonly object[]) => samples.map(each => ({ resource, ...each, ...WATCH }))
    const sleep = { bedtime_start: at(-60), bedtime_stop: at(420), type: 'long_sleep', timezone_offset: 0 }
    const lengths = { duration: 28_800, total: 21_600, awake: 7_200, light: 7_200, rem: 7_200, deep: 7_200 }
    const run = { time_start: at(600), time_end: at(660), title: 'Morning run', timezone_offset: 0 }
    const lines = [
      ...of(
        'steps',
        range(10).map(i => ({ start: at(480 + i * 60), end: at(540 + i * 60), value: 500 })),
      ),
      ...of(
        'heartrate',
        range(144).map(i => ({ timestamp: at(i * 10), value: 60 + (i % 5) })),
      ),
      ...of(
        'glucose',
        range(96).map(i => ({ timestamp: at(i * 15), value: i < 24 ? 3 : 6 })),
      ),
      ...of(
        'hypnogram',
        [4, 2, 1, 3].map((value, i) => ({ start: at(i * 120 - 60), end: at(i * 120 + 60), value })),
      ),
      ...of('hrv', [{ timestamp: at(100), value: 50 }]),
      { summary: 'sleep', id: 'night', at: at(420), ...WATCH, document: { ...sleep, ...lengths } },
      { summary: 'workouts', id: 'run', at: at(600), ...WATCH, document: run },
      { summary: 'meal', id: 'meal', at: at(720), document: { name: 'Lunch' } },
      { resource: 'insulin_injection', timestamp: at(730), value: 6, type: 'rapid_acting', ...WATCH },
    ]
    await api(tests.server, 'POST', `/svc/v1/users/${user}/samples`, lines.map(each => JSON.stringify(each)).join('\n'))
    const test = labTests().find(each => each.slug === 'essential-health')
    const { order } = await call<{ order: { id: string } }>('/v3/order', {
      user_id: user,
      patient_details: {
        ...{ first_name: 'Ada', last_name: 'Byron', dob: '1985-12-10', gender: 'female' },
        ...{ phone_number: '+1 (555) 010-0199', email: 'ada@example.test' },
      },
      patient_address: {
        ...{ first_line: '1 Main St', city: 'Springfield', state: 'IL', zip: '62701', country: 'US' },
        ...{ receiver_name: 'Ada Byron' },
      },
      order_set: { lab_test_ids: [test?.id] },
    })
    await call(`/v3/order/${order.id}/test`, {})
  })

  it('shows all of the day on one axis, with one cursor and one readout', async () => {
    const { page } = await tests.open(`/console/data/day?user=${user}&day=${today}`)
    await expect.poll(() => page.locator('.u-over').count()).toBe(5)
    const charts = await page
      .getByRole('application')
      .evaluateAll(all => all.map(each => each.getAttribute('aria-label')))
    expect(charts).toEqual(['Stages', 'Workouts', 'Heart rate, bpm', 'Glucose, mmol/L', 'Steps'])
    const steps = page.locator('.u-over').nth(4)
    const box = await steps.boundingBox()
    await steps.hover({ position: { x: (box?.width ?? 0) * (610 / 1440), y: 20 } })
    const readout = page.locator('.chart-readout')
    expect(await readout.count()).toBe(1)
    await expect
      .poll(() => readout.textContent())
      .toMatch(/Workouts Morning run · Heart rate: .* bpm · Glucose: .* 6 mmol\/L · Steps: .* 500/)
    await page
      .locator('.u-over')
      .first()
      .hover({ position: { x: (box?.width ?? 0) * (30 / 1440), y: 20 } })
    await expect.poll(() => readout.textContent()).toContain('Stages Awake')
    const symbols = page.getByRole('list', { name: 'Symbols in the chart' })
    expect(await symbols.getByRole('listitem').allTextContents()).toEqual(['Insulin', 'Meal'])
    const shares = await page.locator('.data-shares figcaption').textContent()
    expect(shares).toContain('Below: 25\u00a0%')
    await page.getByLabel('Add a chart of').selectOption('HRV')
    await page.getByRole('application', { name: 'HRV, ms' }).waitFor()
    expect(new URL(page.url()).searchParams.get('with')).toBe('hrv')
    await expectAccessible(page)
    await page.setViewportSize(PHONE)
    await expectFits(page)
  })

  it('shows the lab results of samples that were collected on the day, and links to the night', async () => {
    const { page } = await tests.open(`/console/data/day?user=${user}&day=${today}`)
    const results = page.getByRole('region', { name: 'Lab results' })
    await results.getByRole('link', { name: 'Essential Health' }).waitFor()
    expect(await results.getByRole('table').getByRole('row').count()).toBeGreaterThan(5)
    await page.getByRole('link', { name: /23:00 to 07:00$/ }).click()
    await page.getByRole('heading', { name: /^Night of / }).waitFor()
  })

  it('begins with the last day with data, and the URL names the chosen one', async () => {
    const { page } = await tests.open(`/console/data?user=${user}`)
    await page.getByRole('link', { name: 'Day', exact: true }).click()
    await expect.poll(() => page.getByLabel('Day', { exact: true }).inputValue()).toBe(today)
    await page.getByRole('button', { name: 'Previous day' }).click()
    const before = new Date(Date.parse(today) - DAY_MS).toISOString().slice(0, 10)
    await expect.poll(() => new URL(page.url()).searchParams.get('day')).toBe(before)
    await page.getByText('No sample was collected on this day').waitFor()
    // the night began in the evening
    await page.getByRole('application', { name: 'Stages' }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Next day' }).click()
    await page.getByText('No samples on this day').waitFor()
    await page.getByLabel('Day', { exact: true }).fill(today)
    await page.getByRole('region', { name: 'Values of the day' }).getByText('5,000').waitFor()
  })
})
