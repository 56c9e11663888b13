/** The overview of a team with 100,000 users: its request, and when its figures appear. */
import { bundled } from '../bundle.mjs'
import { median } from '../figures.mjs'
import { addTimes, slowness } from '../reference.mjs'
import { signedIn, withServer } from './console-server.mjs'

const USERS = 100_000
const FIRST = Date.UTC(2024, 0, 1)
const MOST_OVERVIEW_MS = 300

/** Records when the figures appear, in ms since the navigation began. */
function noteFigures() {
  new MutationObserver((_, observer) => {
    if (document.querySelector('main .figures') === null) return
    globalThis.figuresAt = performance.now()
    observer.disconnect()
  }).observe(document, { childList: true, subtree: true })
}

export async function benchOverview(figures, browser, { rounds }) {
  const { createManyUsers } = await bundled('console/console-entry.ts')
  await withServer(
    async server => {
      const requests = []
      const views = []
      const context = await signedIn(browser, server)
      // the first rounds fill the caches of the server and of the browser
      for (let round = -2; round < rounds; round++) {
        const began = performance.now()
        await server.call('GET', '/svc/v1/overview')
        const request = performance.now() - began
        const page = await context.newPage()
        await page.addInitScript(noteFigures)
        await page.goto(`${server.url}/console`)
        await page.waitForFunction(() => globalThis.figuresAt !== undefined)
        const view = await page.evaluate(() => globalThis.figuresAt)
        await page.close()
        if (round < 0) continue
        requests.push(request)
        views.push({ ms: view, factor: slowness() })
      }
      const what = `overview with ${USERS.toLocaleString('en')} users, from navigation to its figures (${rounds} rounds)`
      addTimes(figures, what, views, MOST_OVERVIEW_MS)
      figures.add('  of it, the request', `${median(requests).toFixed(1)} ms`)
    },
    { fill: folder => createManyUsers(folder, USERS, FIRST) },
  )
}
