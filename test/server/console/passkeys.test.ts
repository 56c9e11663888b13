/** Passkeys of people: adding, signing in and removing, and every response that is refused. */
import { describe, expect, it } from 'vitest'
import { MINUTE_MS } from '../../../src/core/time.ts'
import { passkeySite } from '../../../src/engine/console/passkeys.ts'
import { MOST_WRONG } from '../../../src/server/guards/guess-limit.ts'
import { IS_ON_POSTGRES } from '../../kit/postgres/database.ts'
import { Sandbox } from '../../kit/sandbox.ts'
import type { TestResponse, TestServer } from '../../kit/server.ts'
import { newStore } from '../../kit/store/new-store.ts'
import { Authenticator, type Credential, type Signing } from './authenticator.ts'
import { Browser, Hands, serveConsole } from './console-server.ts'

type Options = { readonly challenge: string } & Readonly<Record<string, unknown>>
type Passkey = Readonly<Record<'passkey_id' | 'person' | 'host' | 'name', string>> & {
  readonly last_used_at: string | null
}

/** Where browsers reach the server: it listens on 127.0.0.1, where localhost leads. */
const siteOf = (server: TestServer) => ({ origin: server.url.replace('127.0.0.1', 'localhost'), host: 'localhost' })

/** A person who is signed in with a one-time URL, and an authenticator. */
async function personAt(server: TestServer, name = 'Ana', role = 'reader') {
  const { json } = await server.ask('POST', '/svc/v1/people', { body: JSON.stringify({ name, role }) })
  const { person_id: personId, url } = json as { person_id: string; url: string }
  const { pathname, search } = new URL(url)
  const response = await fetch(`${server.url}${pathname}${search}`, {
    redirect: 'manual',
    headers: { 'user-agent': 'Firefox/140.0' },
  })
  const browser = new Browser(server)
  browser.cookie = response.headers.get('set-cookie')?.split(';')[0] ?? null
  browser.csrf = (await browser.session()).csrf_token
  return { personId, browser, device: new Authenticator(siteOf(server)) }
}

const post = (browser: Browser, path: string, body: unknown = {}) =>
  browser.ask('POST', `/console/passkeys${path}`, {
    headers: { 'user-agent': 'Firefox/140.0', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify(body),
  })
const optionsFrom = async (browser: Browser, path: string) => (await post(browser, path)).json as Options

async function add(browser: Browser, device: Authenticator, signing: Signing = {}): Promise<TestResponse> {
  return post(browser, '', { credential: device.create(await optionsFrom(browser, '/creation-options'), signing) })
}

/** Signs in from a browser without a session. */
async function signIn(server: TestServer, device: Authenticator, signing: Signing = {}): Promise<TestResponse> {
  const browser = new Browser(server)
  return send(server, device.get(await optionsFrom(browser, '/request-options'), signing))
}
const send = (server: TestServer, credential: Credential) => post(new Browser(server), '/sign-in', { credential })

const passkeysOf = async (server: TestServer) =>
  ((await server.ask('GET', '/svc/v1/passkeys')).json as { passkeys: Passkey[] }).passkeys

const REFUSED = [401, 'passkey_refused']
const outcome = ({ status, headers }: TestResponse) => [status, headers.get('x-svc-error-code')]

async function auditOf(server: TestServer): Promise<string[]> {
  const { json } = await server.ask('GET', '/svc/v1/audit')
  const { entries } = json as { entries: { operation: string; person: string | null; outcome: string }[] }
  return entries.flatMap(({ operation, person, outcome: end }) =>
    operation.startsWith('passkey.') ? [`${operation} ${person} ${end}`] : [],
  )
}

describe('a passkey', () => {
  it('is added by any role, signs in, is listed without its key, and is removed', async () => {
    const server = await serveConsole()
    const { personId, browser, device } = await personAt(server, 'Ana', 'reader-without-health-data')
    expect((await add(browser, device)).status).toBe(204)
    const own = (await browser.ask('GET', '/console/passkeys')).json as { passkeys: Passkey[] }
    const date = new Date().toISOString().slice(0, 10)
    expect(own.passkeys).toMatchObject([
      { person: 'Ana', host: 'localhost', name: `Firefox ${date}`, last_used_at: null },
    ])
    expect(await passkeysOf(server)).toEqual(own.passkeys)
    expect(Object.keys(own.passkeys[0] ?? {}).join()).toBe(
      'passkey_id,team_id,person_id,person,name,host,created_at,last_used_at',
    )
    const signedIn = await signIn(server, device)
    expect(signedIn.json).toMatchObject({ person: { id: personId, name: 'Ana' }, csrf_token: expect.any(String) })
    expect(signedIn.headers.get('set-cookie')).toContain('HttpOnly')
    const [passkey] = await passkeysOf(server)
    expect(passkey?.last_used_at).not.toBeNull()
    expect((await post(browser, '/remove', { passkey_id: passkey?.passkey_id })).status).toBe(204)
    expect(await passkeysOf(server)).toEqual([])
    expect(outcome(await signIn(server, device))).toEqual(REFUSED)
    const trail = ['passkey.remove Ana ok', 'passkey.sign_in Ana ok', 'passkey.add Ana ok']
    expect(await auditOf(server)).toEqual(trail)
    expect(server.lines.join('\n')).not.toMatch(/publicKey|credential_id/)
  })

  it('is removed by an owner, and with its person', async () => {
    const server = await serveConsole()
    const ana = await personAt(server, 'Ana')
    const ben = await personAt(server, 'Ben', 'operator')
    await add(ana.browser, ana.device)
    await add(ben.browser, ben.device)
    const [first] = await passkeysOf(server)
    const url = `/svc/v1/passkeys/${first?.passkey_id}`
    expect(outcome(await ben.browser.ask('DELETE', url))).toEqual([403, 'role_not_allowed'])
    // people remove only their own ones here
    expect((await post(ben.browser, '/remove', { passkey_id: first?.passkey_id })).status).toBe(404)
    expect((await server.ask('DELETE', url)).status).toBe(204)
    expect((await server.ask('DELETE', url)).status).toBe(404)
    expect(outcome(await signIn(server, ana.device))).toEqual(REFUSED)
    expect((await signIn(server, ben.device)).status).toBe(200)
    await server.ask('DELETE', `/svc/v1/people/${ben.personId}`)
    expect(outcome(await signIn(server, ben.device))).toEqual(REFUSED)
    expect(await passkeysOf(server)).toEqual([])
  })

  it('belongs to a person: a key has none, and a change needs the CSRF token', async () => {
    const server = await serveConsole()
    const owner = new Browser(server)
    await owner.signIn()
    expect((await post(owner, '/creation-options')).status).toBe(409)
    expect((await owner.ask('GET', '/console/passkeys')).status).toBe(409)
    const { browser } = await personAt(server)
    browser.csrf = ''
    for (const path of ['', '/creation-options', '/remove']) {
      expect(outcome(await post(browser, path))).toEqual([403, 'csrf_token_missing'])
    }
    const elsewhere = { headers: { 'sec-fetch-site': 'cross-site' }, body: '{}' }
    for (const path of ['request-options', 'sign-in']) {
      const response = await new Browser(server).ask('POST', `/console/passkeys/${path}`, elsewhere)
      expect(outcome(response)).toEqual([403, 'csrf_token_missing'])
    }
  })

  it.each([{}, { credential: 'x' }, { credential: { id: 1, response: {} } }, []])('is refused as %j', async body => {
    const server = await serveConsole()
    expect((await post(new Browser(server), '/sign-in', body)).status).toBe(422)
  })
})

describe('a response', () => {
  it.each<[string, Signing]>([
    ['from another origin', { origin: 'http://localhost:1' }],
    ['without user verification', { isVerified: false }],
  ])('%s is refused', async (_what, signing) => {
    const server = await serveConsole()
    const { browser, device } = await personAt(server)
    expect(outcome(await add(browser, device, signing))).toEqual(REFUSED)
    await add(browser, device)
    expect(outcome(await signIn(server, device, signing))).toEqual(REFUSED)
    expect((await signIn(server, device)).status).toBe(200)
  })

  it('works once, for its purpose and its session', async () => {
    const server = await serveConsole()
    const { browser, device } = await personAt(server)
    const ben = await personAt(server, 'Ben')
    const creation = await optionsFrom(browser, '/creation-options')
    const created = device.create(creation)
    expect(outcome(await post(ben.browser, '', { credential: created }))).toEqual(REFUSED)
    expect((await post(browser, '', { credential: created })).status).toBe(204)
    expect(outcome(await send(server, device.get(creation)))).toEqual(REFUSED)
    const signed = device.get(await optionsFrom(browser, '/request-options'))
    expect((await send(server, signed)).status).toBe(200)
    expect(outcome(await send(server, signed))).toEqual(REFUSED)
    const [passkey] = await passkeysOf(server)
    await post(browser, '/remove', { passkey_id: passkey?.passkey_id })
    expect(outcome(await post(browser, '', { credential: created }))).toEqual(REFUSED)
    const other = { challenge: Buffer.alloc(60).toString('base64url') }
    expect(outcome(await send(server, device.get(other)))).toEqual(REFUSED)
  })

  it('is refused after 5 minutes, and used challenges are removed then', async () => {
    const time = new Hands()
    const server = await serveConsole({ engine: { time } })
    const { browser, device } = await personAt(server)
    await add(browser, device)
    const options = await optionsFrom(browser, '/request-options')
    time.advance(5 * MINUTE_MS - 1)
    expect((await send(server, device.get(options))).status).toBe(200)
    const late = await optionsFrom(browser, '/request-options')
    time.advance(5 * MINUTE_MS)
    expect(outcome(await send(server, device.get(late)))).toEqual(REFUSED)
  })

  it('is refused when the counter of the authenticator does not grow', async () => {
    const server = await serveConsole()
    const { browser, device } = await personAt(server)
    await add(browser, device, { counter: 3 })
    expect((await signIn(server, device, { counter: 4 })).status).toBe(200)
    for (const counter of [4, 2, 0]) expect(outcome(await signIn(server, device, { counter }))).toEqual(REFUSED)
    expect((await signIn(server, device, { counter: 5 })).status).toBe(200)
  })

  it('to one server is accepted by another server of the store, once', async () => {
    const dataDir = await newStore()
    const first = await serveConsole({ dataDir })
    // both of these are reached at one URL
    const publicUrl = 'https://svc.example'
    const shared = [await serveConsole({ dataDir, publicUrl }), await serveConsole({ dataDir, publicUrl })]
    const [one, two] = shared as [TestServer, TestServer]
    const { browser } = await personAt(one)
    const device = new Authenticator({ origin: publicUrl, host: 'svc.example' })
    expect((await add(browser, device)).status).toBe(204)
    const signed = device.get(await optionsFrom(new Browser(one), '/request-options'))
    expect((await send(two, signed)).status).toBe(200)
    expect(outcome(await send(one, signed))).toEqual(REFUSED)
    // at another host name, the passkey is unknown
    expect(outcome(await signIn(first, device))).toEqual(REFUSED)
  })

  it('that is wrong too often is refused with 429', async () => {
    const server = await serveConsole()
    const stranger = new Authenticator(siteOf(server))
    for (let i = 0; i < MOST_WRONG; i++) expect(outcome(await signIn(server, stranger))).toEqual(REFUSED)
    expect((await signIn(server, stranger)).status).toBe(429)
  })
})

it.skipIf(IS_ON_POSTGRES)('a restored snapshot gives no passkey back, and takes none away', async () => {
  const server = await serveConsole()
  const { browser, device } = await personAt(server)
  await add(browser, device)
  await server.ask('POST', '/svc/v1/snapshots', { body: '{"name":"before"}' })
  const [passkey] = await passkeysOf(server)
  await post(browser, '/remove', { passkey_id: passkey?.passkey_id })
  const later = new Authenticator(siteOf(server))
  await add(browser, later)
  const restored = await server.ask('POST', '/svc/v1/snapshots/before/restore')
  expect(restored.status).toBeLessThan(300)
  expect(outcome(await signIn(server, device))).toEqual(REFUSED)
  expect((await signIn(server, later)).status).toBe(200)
})

it('a command lists and removes a passkey of a running server', async () => {
  const sandbox = new Sandbox()
  const server = await serveConsole({ dataDir: sandbox.env['SVC_DATA_DIR'] as string })
  const { browser, device } = await personAt(server)
  await add(browser, device)
  const { passkeys } = await sandbox.json<{ passkeys: Passkey[] }>(['engine', 'passkey', 'list'])
  expect(passkeys).toMatchObject([{ person: 'Ana', host: 'localhost' }])
  const id = passkeys[0]?.passkey_id ?? ''
  expect(await sandbox.json(['engine', 'passkey', 'remove', id])).toEqual({ passkey_id: id, removed: true })
  expect(outcome(await signIn(server, device))).toEqual(REFUSED)
})

describe('the place of passkeys', () => {
  it.each([
    ['http://127.0.0.1:4010', 'http://localhost:4010'],
    ['http://[::1]:4010', 'http://localhost:4010'],
    ['https://svc.example/api', 'https://svc.example'],
    ['http://svc.example', null],
    ['http://127.example.com', null],
    ['https://10.0.0.1', null],
    ['https://[2001:db8::1]', null],
    [null, null],
  ])('for the public URL %s is %s', (publicUrl, origin) => {
    expect(passkeySite({ publicUrl: () => publicUrl })?.origin ?? null).toBe(origin)
  })

  it('is in the document, and elsewhere the server says where passkeys work', async () => {
    const server = await serveConsole()
    const document = await server.ask('GET', '/console', { key: null })
    expect(document.text).toContain(`data-passkeys="${siteOf(server).origin}"`)
    const plain = await serveConsole({ publicUrl: 'http://svc.example' })
    const refused = await post(new Browser(plain), '/request-options')
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('https')])
  })
})
