/** The overview, in a real browser: the first steps, what needs attention, figures with their course, and an endpoint's rates. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TeamId } from '../../../src/core/ids.ts'
import { DAY_MS } from '../../../src/core/time.ts'
import { openEngine } from '../../../src/engine/open.ts'
import type { CounterName } from '../../../src/store/team.ts'
import { browserPath, openBrowser } from '../../kit/browser.ts'
import { openConsole, PHONE, serveBuiltConsole } from '../../kit/console.ts'
import { storeOptions } from '../../kit/postgres/database.ts'
import type { TestServer } from '../../kit/server.ts'
import { expectAccessible, expectFits } from './kit/checks.ts'
import { fill } from './kit/filled.ts'

const executable = browserPath()
if (executable === undefined) process.stderr.write('console/overview.test.ts is skipped: no Chromium is installed\n')

/** Adds counts of a day, as a process that served on that day. */
async function addCounts(
  { dataDir, teamId }: TestServer,
  daysAgo: number,
  counts: readonly (readonly [CounterName, string, number])[],
): Promise<void> {
  const engine = await openEngine({ dataDir, ...storeOptions(dataDir), waitForLock: 'async' })
  const rows = counts.map(([name, subject, n]) => ({ teamId: teamId as TeamId, name, subject, n }))
  await engine.context.store.counters.add(rows, Date.now() - daysAgo * DAY_MS)
  await engine.close()
}

describe.skipIf(executable === undefined)('the overview', { timeout: 240_000 }, () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await openBrowser(executable as string)
  })
  afterAll(() => browser?.close())

  it('is where a sign-in lands, and says what to do first in a new service', async () => {
    const window = await openConsole(browser, await serveBuiltConsole())
    const { page } = window
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Overview')
    await page.getByText('svc user create ada').waitFor()
    expect(await page.getByText('Nothing needs attention').isVisible()).toBe(true)
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Create a user' }).click()
    await page.getByRole('dialog', { name: 'Create a user' }).waitFor()
    await window.close()
  })

  it('shows what needs attention and figures of 14 days, which lead to their lists', async () => {
    const server = await serveBuiltConsole()
    const { endpointId, plainKey } = await fill(server, most => 'A plain text of usual length'.slice(0, most))
    await addCounts(server, 3, [
      ['samples', '', 5_000_000],
      ['requests_2xx', '', 90],
      ['requests_4xx', '', 10],
      ['delivered', endpointId, 8_000_000],
      ['failed', endpointId, 2_000_000],
      ['delivery_ms', endpointId, 1_234_000_000],
    ])
    const window = await openConsole(browser, server)
    const { page } = window
    const main = page.locator('#main')
    const bars = (name: RegExp) => main.getByRole('img', { name })
    await window.visit('/console')
    expect(await bars(/^Stored samples by day: (.* 0, ){10}.* 5,000,000, /).count()).toBe(1)
    expect(await bars(/^Requests by day: .* 90 and 10 failed, /).count()).toBe(1)
    expect(await main.getByText('Counted once a minute; a crash may lose a minute.').count()).toBe(1)
    expect(await main.getByRole('link', { name: 'daily.data.note.created' }).count()).toBeGreaterThan(0)
    const lists = await main
      .getByRole('link')
      .evaluateAll(links => links.map(each => `${each.textContent} ${each.getAttribute('href')}`))
    expect(lists).toEqual(
      expect.arrayContaining([
        '1 connection is in error /console/events?type=provider.connection.error',
        `Every delivery to an endpoint fails /console/events/endpoints/${endpointId}`,
        '1 delivery was given up /console/events?state=dead',
        'Users /console/users',
        'Connections /console/engine/providers',
        'Samples /console/data',
        'Deliveries /console/events/endpoints',
        'Audit trail /console/engine/audit',
      ]),
    )
    await expectAccessible(page)
    // neither lists of two columns nor their rows have anything to choose
    expect(await main.getByRole('button', { name: /^(Columns|Actions) / }).count()).toBe(0)
    await page.route('**/svc/v1/overview', async route => {
      const overview = (await (await route.fetch()).json()) as object
      const attention = [{ kind: 'overdue_jobs', count: 1_000, is_minimum: true, since: null, endpoint_id: null }]
      await route.fulfill({ json: { ...overview, attention } })
    })
    await page.getByRole('button', { name: 'Reload' }).click()
    await main.getByRole('link', { name: '1,000 or more jobs are overdue' }).waitFor()
    await page.unroute('**/svc/v1/overview')
    await page.getByRole('button', { name: 'Reload' }).click()
    await main.getByRole('link', { name: 'Every delivery to an endpoint fails' }).click()
    await main.getByText('80.0 %').waitFor()
    await main.getByText('123 ms').waitFor()
    expect(await bars(/^Mean latency in ms by day: .* 123, /).count()).toBe(1)
    await expectAccessible(page)
    await window.close()
    const phone = await openConsole(browser, server, { colorScheme: 'dark', key: plainKey })
    await phone.page.setViewportSize(PHONE)
    await phone.visit('/console')
    await phone.page.getByText('1 connection is in error').waitFor()
    expect(await phone.page.getByText('Latest changes').count()).toBe(0)
    await expectAccessible(phone.page)
    await expectFits(phone.page)
    await phone.close()
  })
})
