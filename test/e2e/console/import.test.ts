/** Imports on the page, in a real browser with a real engine. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { describeConsole, PHONE, WIDE } from '../../kit/console.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { root } from '../../kit/sandbox.ts'
import { chooseAction, expectAccessible, expectFits } from './kit/checks.ts'

const sample = (name: string): string => path.join(root, 'test/fixtures/samples', name)
const APPLE = sample('apple-health/tdda/export6s3sample.xml')

describeConsole('imports in the console', tests => {
  let userId = ''

  beforeAll(async () => {
    const { json } = await tests.server.ask('POST', '/v2/user', { body: JSON.stringify({ client_user_id: 'ada' }) })
    userId = (json as { user_id: string }).user_id
  })

  const open = async (target: string, viewport = WIDE): Promise<Page> => (await tests.open(target, { viewport })).page

  const chosen = () => `/console/import?user=${userId}`

  it('require a user, then report the stored records, and can be undone', async () => {
    const page = await open('/console/import')
    const choose = page.getByRole('button', { name: 'Choose files' })
    expect(await choose.isDisabled()).toBe(true)
    await page.getByRole('combobox', { name: 'User' }).fill('ada')
    await page.getByRole('option', { name: /^ada/ }).click()
    const picker = page.waitForEvent('filechooser')
    await choose.click()
    await (await picker).setFiles(APPLE)
    const report = page.getByRole('group', { name: 'What was imported' })
    await report.getByRole('row', { name: 'steps samples 10 0 0' }).waitFor()
    await expectAccessible(page)
    const list = page.getByRole('group', { name: 'List of imports' })
    await chooseAction(page, 'the Apple Health import of ada', 'Details')
    await page.getByRole('dialog', { name: 'Import' }).getByText('Apple Health', { exact: true }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await chooseAction(page, 'the Apple Health import of ada', 'Undo')
    await page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByText(/^Import undone: 18 removed, 0 restored, 0 kept$/).waitFor()
    await list.getByText('undone').waitFor()
    await page.getByRole('button', { name: 'Show all users' }).click()
    await list.getByRole('link', { name: 'ada', exact: true }).waitFor()
    await expectFits(page)
  })

  it('accept dropped files, one after the other, and say why each was refused', async () => {
    const page = await open(chosen())
    const name = `${'<img src=x onerror=alert(1)>'.replaceAll('/', '')}.csv`
    const table = JSON.stringify(['Time,Steps\n2026-01-01T10:00:00Z,12\n2026-01-01T11:00:00Z,many\n'])
    const transfer = await page.evaluateHandle(`(() => {
      const files = new DataTransfer()
      files.items.add(new File(['not an export'], 'notes.bin'))
      files.items.add(new File(['not one either'], 'other.bin'))
      files.items.add(new File(${table}, ${JSON.stringify(name)}))
      return files
    })()`)
    await page.getByText('Drop files here').dispatchEvent('drop', { dataTransfer: transfer })
    const card = page.getByRole('region', { name })
    await card.getByText(/its columns must be mapped/).waitFor()
    await page.getByRole('region', { name: 'notes.bin' }).getByText('Known formats').waitFor()
    await page.getByText('Refused for the same reason as notes.bin.').waitFor()
    expect(await page.getByText('Known formats').count()).toBe(1)
    const summary = page.getByRole('group', { name: 'What each file stored' })
    expect(await summary.getByText('refused').count()).toBe(3)
    const menus = card.getByRole('group', { name: 'Columns and first rows of this file' })
    expect(await menus.getByRole('row').nth(3).getByRole('cell').allInnerTexts()).toEqual([
      ...['2026-01-01T11:00:00Z', 'many'],
    ])
    await menus.getByLabel('Content of Time').selectOption('Start, date and time')
    await menus.getByLabel('Content of Steps').selectOption('Start, date and time')
    expect(await menus.getByLabel('Content of Time').inputValue()).toBe('')
    await menus.getByLabel('Content of Time').selectOption('Start, date and time')
    await menus.getByLabel('Content of Steps').selectOption('Value')
    expect(await card.getByLabel('Columns of a table').inputValue()).toBe('start=Time\nvalue=Steps')
    await expectAccessible(page)
    await card.getByRole('button', { name: 'Try again' }).click()
    await card.getByText('the resource of the rows is not set').waitFor()
    expect(await menus.getByLabel('Content of Steps').inputValue()).toBe('value')
    await card.locator('[aria-invalid]:focus').waitFor()
    await expectAccessible(page)
    await card.getByLabel('Resource of a table').fill('steps')
    await card.getByLabel('Unit of a table').fill('litres')
    await card.getByRole('button', { name: 'Check without storing' }).click()
    await card.getByText('"litres" is not a unit of steps').waitFor()
    await card.getByLabel('Unit of a table').fill('count')
    await card.getByRole('button', { name: 'Check without storing' }).click()
    await card.getByText('This was a check: nothing was stored.').waitFor()
    await card.getByRole('row', { name: 'steps samples 1 0 0' }).waitFor()
    await card.getByRole('group', { name: 'What was skipped' }).getByText('line 3').waitFor()
    await summary.getByRole('row', { name: `${name} checked 2 1 0 1` }).waitFor()
    await expectFits(page)
  })

  it('that are refused show the reason, with the focus on it, and a menu of the columns', async () => {
    const page = await open(chosen(), PHONE)
    const text = 'when,kg\n2026-01-01T10:00:00Z,71.5\n'
    await page
      .getByLabel('Files to import')
      .setInputFiles({ name: 'scale.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    const card = page.getByRole('region', { name: 'scale.csv' })
    const reason = card.getByText(/its columns must be mapped/)
    await reason.waitFor()
    await expect
      .poll(() => page.evaluate<string>('document.activeElement?.textContent ?? ""'))
      .toContain('columns must be mapped')
    const { y = -1, height = 0 } = (await reason.boundingBox()) ?? {}
    expect(y).toBeGreaterThanOrEqual(0)
    expect(y + height).toBeLessThanOrEqual(PHONE.height)
    const menu = card.getByLabel('Content of when')
    expect((await menu.getByRole('option').allTextContents()).slice(0, 2)).toEqual(['Not used', 'Start, date and time'])
    await card.getByRole('cell', { name: '71.5' }).waitFor()
    await expectAccessible(page)
    await expectFits(page)
  })

  it('of a table of several people are refused, and can be limited to one person', async () => {
    const page = await open(chosen())
    const rows = [1, 2, 3].flatMap(id => [1, 2, 3].map(day => `${id},2026-01-0${day}T10:00:00Z,${id * 100 + day}`))
    await page.getByLabel('Files to import').setInputFiles({
      name: 'study.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`Id,when,kg\n${rows.join('\n')}\n`),
    })
    const card = page.getByRole('region', { name: 'study.csv' })
    await card.getByLabel('Content of when').selectOption('Start, date and time')
    await card.getByLabel('Content of kg').selectOption('Value')
    await card.getByLabel('Resource of a table').fill('water')
    await card.getByRole('button', { name: 'Try again' }).click()
    await card.getByText(/its column "Id" has 3 values/).waitFor()
    await card.getByLabel('Rows of a table').fill('Id=2')
    await page.getByText('--where Id=2').waitFor()
    await expectAccessible(page)
    await card.getByRole('button', { name: 'Try again' }).click()
    await card.getByRole('row', { name: 'water samples 3 0 0' }).waitFor()
  })

  it('with ambiguous dates ask for their order at its field', async () => {
    const page = await open(chosen())
    const text = '"Date","Time","Steps"\r\n03/04/2026,10:00,"1200"\r\n'
    await page
      .getByLabel('Files to import')
      .setInputFiles({ name: 'days.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    const card = page.getByRole('region', { name: 'days.csv' })
    await card.getByRole('cell', { name: '1200' }).waitFor()
    await card.getByLabel('Content of Date').selectOption('Date, if separate')
    await card.getByLabel('Content of Time').selectOption('Time, if separate')
    await card.getByLabel('Content of Steps').selectOption('Value')
    await card.getByLabel('Resource of a table').fill('steps')
    await card.getByRole('button', { name: 'Try again' }).click()
    const order = card.getByLabel('Dates such as 03/04/2021')
    await expect.poll(() => order.getAttribute('aria-invalid')).toBe('true')
    await order.selectOption('Day first')
    await card.getByRole('button', { name: 'Try again' }).click()
    await card.getByRole('row', { name: 'steps samples 1 0 0' }).waitFor()
    await page.getByRole('heading', { name: 'Imports of ada' }).waitFor()
  })

  it('can be checked first, also on a phone', async () => {
    const page = await open(chosen(), PHONE)
    await page.getByLabel('Check only').check()
    await page.getByLabel('Files to import').setInputFiles(sample('cgm/dexcom-clarity.csv'))
    await page.getByText('This was a check: nothing was stored.').waitFor()
    await expectFits(page)
    await page.getByRole('button', { name: 'Import it now' }).click()
    await page.getByRole('link', { name: 'Show the data' }).waitFor()
    await expectFits(page)
  })

  it('show how much of a large file is sent, and can be stopped', async () => {
    const file = path.join(temporaryFolder(), 'large.csv')
    writeFileSync(file, `Time,Steps\n${'2026-01-01T10:00:00Z,12\n'.repeat(2_000_000)}`)
    const page = await open(chosen())
    // slow enough to see, in bytes a second
    const protocol = await page.context().newCDPSession(page)
    await protocol.send('Network.enable')
    await protocol.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency: 0, downloadThroughput: -1 },
      uploadThroughput: 4_000_000,
    })
    await page.getByLabel('Files to import').setInputFiles(file)
    await page.getByText(/^Sending 48\.0 MB: [1-9]\d? %$/).waitFor()
    await page.getByRole('button', { name: 'Stop large.csv' }).click()
    await page.getByText('Nothing of this file was stored.').waitFor()
    await expectFits(page)
  })
})
