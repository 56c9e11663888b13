/** Checks for every page of the console, whatever a test did on it. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { COLOR_RULES, type ConsoleWindow, tooWide, violations } from '../../kit/console.ts'

/** Browser errors for a response that the page itself reports: it is missing, or a value was refused. */
const REFUSED = /the server responded with a status of 4(04|22)/

/** Ends the window, and fails if anything else went wrong in it. */
export async function closeWindow(window: ConsoleWindow | undefined): Promise<void> {
  if (window?.problems.some(each => REFUSED.test(each))) window.forgive(REFUSED)
  await window?.close()
}

/** Checks that the page passes axe, in both themes. */
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
