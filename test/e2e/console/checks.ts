/** What holds on every page of the console, whatever a test did on it. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { COLOR_RULES, tooWide, violations } from '../../kit/console.ts'

/** Checks that axe finds nothing on the page, in both themes. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' })
  expect(await violations(page), page.url()).toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await violations(page, COLOR_RULES), `${page.url()} in dark`).toEqual([])
}

/** Checks that the page does not scroll sideways. */
export async function expectFits(page: Page): Promise<void> {
  expect(await tooWide(page), page.url()).toEqual([])
}
