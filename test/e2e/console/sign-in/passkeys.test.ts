/** Passkeys in a real browser, with Chromium's virtual authenticator. */
import type { Browser, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserPath, openBrowser } from '../../../kit/browser.ts'
import { openConsole, PHONE, serveBuiltConsole } from '../../../kit/console.ts'
import type { TestServer } from '../../../kit/server.ts'
import { chooseAction, expectAccessible, expectFits } from '../kit/checks.ts'
import { api } from '../kit/filled.ts'

const executable = browserPath()
if (executable === undefined)
  process.stderr.write('console/sign-in/passkeys.test.ts is skipped: no Chromium is installed\n')

/** Gives a page a device with a screen lock. */
async function addDevice(page: Page): Promise<{ readonly client: CDPSession; readonly authenticatorId: string }> {
  const client = await page.context().newCDPSession(page)
  await client.send('WebAuthn.enable')
  const { authenticatorId } = await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { client, authenticatorId }
}

describe.skipIf(executable === undefined)('passkeys in the console', () => {
  let browser: Browser
  let server: TestServer

  beforeAll(async () => {
    browser = await openBrowser(executable as string)
    server = await serveBuiltConsole({ host: 'localhost' })
  })
  afterAll(() => browser?.close())

  const signInUrl = async (name: string, role: string) =>
    (await api<{ url: string }>(server, 'POST', '/svc/v1/people', { name, role })).url

  it('are added, sign in without a name, and are removed by the person', async () => {
    const window = await openConsole(browser, server, { signInUrl: await signInUrl('Ana', 'reader') })
    const { page } = window
    const { client, authenticatorId } = await addDevice(page)
    await page.getByRole('button', { name: 'Passkeys' }).click()
    const dialog = page.getByRole('dialog', { name: 'Passkeys' })
    await dialog.getByText('No passkeys').waitFor()
    await dialog.getByRole('button', { name: 'Add a passkey' }).click()
    await dialog.getByRole('cell', { name: 'localhost' }).waitFor()
    const { credentials } = await client.send('WebAuthn.getCredentials', { authenticatorId })
    expect(credentials).toMatchObject([{ isResidentCredential: true, rpId: 'localhost' }])
    await dialog.getByRole('button', { name: 'Add a passkey' }).click()
    await dialog.getByText('You have added a passkey of this device already.').waitFor()
    await expectAccessible(page)
    await page.setViewportSize(PHONE)
    await expectFits(page)
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 1280, height: 900 })

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign out here' }).click()
    await page.getByText('You have signed out.').waitFor()
    await expectAccessible(page)
    const sent = page.waitForRequest(/passkeys\/sign-in$/)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('Signed in as Ana (reader)').waitFor()
    const replayed = await server.ask('POST', '/console/passkeys/sign-in', {
      key: null,
      headers: { origin: server.url },
      body: (await sent).postData() ?? '',
    })
    expect(replayed.headers.get('x-svc-error-code')).toBe('passkey_refused')

    await page.getByRole('button', { name: 'Passkeys' }).click()
    await chooseAction(page, `Chrome ${new Date().toISOString().slice(0, 10)}`, 'Remove')
    await page
      .getByRole('dialog', { name: /^Remove Chrome/ })
      .getByRole('button', { name: 'Remove', exact: true })
      .click()
    await dialog.getByText('No passkeys').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign out here' }).click()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('The passkey was refused.').waitFor()
    window.forgive(/status of 401/)
    await window.close()
  })

  it('are listed for owners, who remove them, and no longer sign in after their person was removed', async () => {
    const owner = await openConsole(browser, server)
    const ben = await openConsole(browser, server, { signInUrl: await signInUrl('Ben', 'operator') })
    await addDevice(ben.page)
    await ben.page.getByRole('button', { name: 'Passkeys' }).click()
    await ben.page.getByRole('button', { name: 'Add a passkey' }).click()
    await ben.page.getByRole('cell', { name: 'localhost' }).waitFor()
    await owner.visit('/console/engine/people')
    expect(await owner.page.getByRole('button', { name: 'Passkeys', exact: true }).count()).toBe(0)
    await expectAccessible(owner.page)
    await owner.page.getByRole('button', { name: /^Actions for the passkey Chrome .* of Ben$/ }).waitFor()
    await chooseAction(owner.page, 'Ben', 'Remove')
    await owner.page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await owner.page.getByRole('button', { name: /passkey .* of Ben$/ }).waitFor({ state: 'detached' })
    await owner.close()
    await ben.page.reload()
    await ben.page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await ben.page.getByText('The passkey was refused.').waitFor()
    ben.forgive(/status of 401/)
    await ben.close()
  })

  it('are not offered where they cannot work, and the page says why', async () => {
    const numeric = await serveBuiltConsole()
    const window = await openConsole(browser, numeric, { key: null })
    await window.page.goto(`${numeric.url}/console`)
    const place = numeric.url.replace('127.0.0.1', 'localhost')
    await window.page.getByText(`Passkeys work only at ${place}.`).waitFor()
    expect(await window.page.getByRole('button', { name: /passkey/ }).count()).toBe(0)
    window.forgive(/status of 401/)
    await window.close()
  })
})
