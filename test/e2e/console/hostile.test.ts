/** Hostile texts in every field that the service accepts and a page shows: nothing runs, and nothing breaks the layout or the policy. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserPath, openBrowser } from '../../kit/browser.ts'
import {
  type ConsoleWindow,
  closeWindow,
  openConsole,
  PHONE,
  pagePaths,
  serveBuiltConsole,
  tooWide,
} from '../../kit/console.ts'
import type { TestServer } from '../../kit/server.ts'
import { tooWideAnywhere } from './kit/checks.ts'
import { api, type Filled, fill } from './kit/filled.ts'
import { pageUrls } from './kit/page-urls.ts'

const executable = browserPath()
if (executable === undefined) process.stderr.write('console/hostile.test.ts is skipped: no Chromium is installed\n')

/** Each sets a variable that the window checks, if a browser treats it as more than text. */
const HOSTILE = [
  '<img src=x onerror=window.__xss=1>',
  '"><svg onload=window.__xss=1>',
  "'-(window.__xss=1)-'",
  'javascript:window.__xss=1//',
  '</script><script>window.__xss=1</script>',
  '{{constructor.constructor("window.__xss=1")()}}',
  `\u202Eright to left\u2066 and isolated`,
  '👩‍👩‍👧‍👦🏴‍☠️'.repeat(20),
  'unbroken'.repeat(200),
  'Z\u0351\u036b\u0343a\u0363\u0368\u034alg\u0300\u0301\u0302o\u200b\ufeff',
  '%00\\u0000&#0;\u2028\ufffd',
  '%s %n \\ `window.__xss=1`',
]

describe.skipIf(executable === undefined)('hostile texts', { timeout: 120_000 }, () => {
  let browser: Browser
  let server: TestServer
  let filled: Filled
  let window: ConsoleWindow

  beforeAll(async () => {
    browser = await openBrowser(executable as string)
    server = await serveBuiltConsole()
    let next = 0
    // each field gets the next one, truncated to the field's limit
    filled = await fill(server, most =>
      [...(HOSTILE[next++ % HOSTILE.length] ?? '')]
        .slice(0, most / 2)
        .join('')
        .trim(),
    )
    for (const name of HOSTILE) {
      const { user_id } = await api<{ user_id: string }>(server, 'POST', '/v2/user', {
        client_user_id: `again ${name}`.slice(0, 500),
      })
      await api(server, 'POST', '/svc/v1/events/trigger', {
        type: 'daily.data.note.created',
        user_id,
        set: { 'data.value': name },
        only_event: true,
      })
      await api(server, 'POST', '/svc/v1/webhooks', {
        url: `https://example.test/${encodeURIComponent(name).slice(0, 1_500)}`,
        description: name.slice(0, 200),
        event_types: ['labtest.result.critical'],
      })
    }
    window = await openConsole(browser, server, { viewport: PHONE })
  })
  afterAll(async () => {
    await closeWindow(window).finally(() => browser.close())
  })

  it.each(pagePaths())('stay text at %s, and the page fits every screen', async path => {
    for (const pageUrl of pageUrls(path, filled)) {
      await window.visit(pageUrl)
      await window.page.evaluate(`for (const each of document.querySelectorAll('details')) each.open = true`)
      await window.settled()
      expect(await tooWideAnywhere(window.page), pageUrl).toEqual([])
    }
  })

  it('stay text in URLs', async () => {
    for (const name of HOSTILE) {
      const text = encodeURIComponent(name)
      await window.visit(`/console/reference?search=${text}`)
      expect(await tooWide(window.page), name).toEqual([])
      await window.visit(`/console/engine/${text}`)
      expect(await tooWide(window.page), name).toEqual([])
    }
    await window.visit(`/console/query?query=${encodeURIComponent(HOSTILE[0] ?? '')}`)
    await window.page.getByText('The JSON is not complete').waitFor()
  })

  it('stay text in a key’s name', async () => {
    const plain = await openConsole(browser, server, { key: filled.plainKey })
    await plain.visit('/console/engine/clock')
    await plain.close()
  })
})
