/** Checks for every page of the console, whatever a test did on it. */
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { COLOR_RULES, PHONE, tooWide, violations } from '../../../kit/console.ts'

/** The themes, with the rules of axe to check in each; the outcome of all others is that of the first one. */
const THEMES = [
  { name: 'light', media: { colorScheme: 'light', forcedColors: 'none' }, rules: undefined },
  { name: 'dark', media: { colorScheme: 'dark', forcedColors: 'none' }, rules: COLOR_RULES },
  { name: 'forced colors', media: { colorScheme: 'dark', forcedColors: 'active' }, rules: COLOR_RULES },
] as const

/** Returns what axe finds on the page in all themes. Leaves the page in the light theme. */
async function themeViolations(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const { name, media, rules } of THEMES) {
    await page.emulateMedia(media)
    found.push(...(await violations(page, rules)).map(each => `${name}: ${each}`))
  }
  await page.emulateMedia(THEMES[0].media)
  return found
}

/** Checks that the page passes axe in all themes. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await themeViolations(page), page.url()).toEqual([])
}

/** Sizes in CSS pixels at which every page must work. */
const SIZES = [
  { width: 2560, height: 1300 },
  { width: 1440, height: 900 },
  { width: 768, height: 1024 },
  { width: 390, height: 844 },
  PHONE,
]

/** Returns what a check finds at any size, or at 200 % zoom on a wide screen. Leaves the page at the size of a phone. */
async function atEverySize(page: Page, check: (page: Page) => Promise<string[]>): Promise<string[]> {
  const found: string[] = []
  const checkAt = async (size: string): Promise<void> => {
    found.push(...(await check(page)).map(each => `${size}: ${each}`))
  }
  // half of the CSS pixels, each of which is two pixels of the screen wide
  const protocol = await page.context().newCDPSession(page)
  const zoomed = { width: 720, height: 450, deviceScaleFactor: 2, mobile: false }
  await protocol.send('Emulation.setDeviceMetricsOverride', zoomed)
  await checkAt('200 %')
  await protocol.send('Emulation.clearDeviceMetricsOverride')
  await protocol.detach()
  for (const size of SIZES) {
    await page.setViewportSize(size)
    await checkAt(`${size.width} px`)
  }
  return found
}

/** Returns what makes the page too wide at any size. */
export const tooWideAnywhere = (page: Page): Promise<string[]> => atEverySize(page, tooWide)

/** Returns what makes the page too wide, and what axe finds in any theme, at any size. */
export const problemsAnywhere = (page: Page): Promise<string[]> =>
  atEverySize(page, async each => [...(await tooWide(each)), ...(await themeViolations(each))])

/** Checks that the page does not scroll sideways. */
export async function expectFits(page: Page): Promise<void> {
  expect(await tooWide(page), page.url()).toEqual([])
}

/** Chooses an action in the menu of a row of a list. */
export async function chooseAction(page: Page, row: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${row}`, exact: true }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

/** Opens a filter of a list, and returns its box. */
export async function openFilter(page: Page, label: string): Promise<Locator> {
  await page.getByRole('group', { name: 'Filters' }).getByRole('button', { name: label }).first().click()
  return page.getByRole('dialog', { name: `Filter by ${label}` })
}

/** Returns how many pixels of the first chart have the color of a series in the column at a share of its width, from 0 to 1. */
export function countInk(page: Page, share: number): Promise<number> {
  return page.evaluate<number>(`(() => {
    const canvas = document.querySelector('.chart-plot canvas')
    const [outer, inner] = [canvas, document.querySelector('.u-over')].map(each => each.getBoundingClientRect())
    const scale = canvas.width / outer.width
    const x = (inner.left - outer.left + inner.width * ${share}) * scale
    const data = canvas.getContext('2d').getImageData(Math.round(x), (inner.top - outer.top) * scale, 1, inner.height * scale).data
    let ink = 0
    // grid and page are grey
    for (let i = 0; i < data.length; i += 4) {
      const [red, green, blue, alpha] = data.slice(i, i + 4)
      if (alpha > 60 && Math.max(red, green, blue) - Math.min(red, green, blue) > 60) ink++
    }
    return ink
  })()`)
}
