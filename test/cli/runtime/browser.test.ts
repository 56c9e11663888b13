/** Opening the user's browser. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { openInBrowser } from '../../../src/cli/runtime/browser.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { until } from '../../kit/until.ts'

const URL_WITH_PARAMETERS = 'https://provider.example/authorize?client_id=1&state=$(id)'

describe.skipIf(process.platform === 'win32')('the browser', () => {
  test('gets the whole URL as one argument, which no shell interprets', async () => {
    const folder = temporaryFolder()
    const browser = path.join(folder, 'browser')
    writeFileSync(
      browser,
      `#!/bin/sh\nprintf '%s\\n' "$#" "$1" > '${folder}/seen.part' && mv '${folder}/seen.part' '${folder}/seen'\n`,
    )
    chmodSync(browser, 0o700)
    expect(await openInBrowser(URL_WITH_PARAMETERS, { BROWSER: browser }, 'linux')).toBe(true)
    await until(() => existsSync(path.join(folder, 'seen')))
    expect(readFileSync(path.join(folder, 'seen'), 'utf8')).toBe(`1\n${URL_WITH_PARAMETERS}\n`)
  })

  test('counts as missing without a display, and if it cannot be started', async () => {
    expect(await openInBrowser(URL_WITH_PARAMETERS, {}, 'linux')).toBe(false)
    expect(await openInBrowser(URL_WITH_PARAMETERS, { BROWSER: '/nowhere/browser' }, 'linux')).toBe(false)
  })
})
