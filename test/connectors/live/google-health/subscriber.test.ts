/** The Google Health subscriber, which a service account creates, checks and removes. */
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { googleHealthConnector as connector } from '../../../../src/connectors/live/google-health/connector.ts'
import type { NotificationReader, Reception, SubscriptionCalls } from '../../../../src/connectors/notifications.ts'
import type { ServiceAccount } from '../../../../src/connectors/provider-session.ts'
import { type FakeGoogleHealth, openGoogleHealth } from '../../../providers/google-health/google-health.ts'
import { PROJECT_NUMBER } from '../../../providers/google-health/subscribers.ts'
import { testSession } from '../../../providers/test-session.ts'
import { appOfGoogle, NOW } from './session.ts'

const reader = connector.notifications as NotificationReader
const calls = reader.subscriptions as SubscriptionCalls
const TYPES = ['steps', 'sleep', 'weight']

let google: FakeGoogleHealth
let now: number
let receptions: Reception[]
/** A service with one OAuth app, whose notification URL is below the service's URL. */
let service: { readonly url: string; readonly close: () => void }

beforeEach(async () => {
  now = NOW
  receptions = []
  google = await openGoogleHealth({ now: () => now })
  service = await openService()
})
afterEach(async () => {
  service.close()
  await google.close()
})

async function openService() {
  const server = createServer(async (message, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of message) chunks.push(chunk as Buffer)
    const incoming = {
      method: 'POST',
      header: (name: string) => (message.headers[name] as string | undefined) ?? null,
      query: new URLSearchParams(),
      body: Buffer.concat(chunks),
      receivedAt: now,
    } as const
    const secrets = { clientSecret: 'c', verificationToken: 'verify-1', issued: async () => [] }
    const reception = await reader.receive(sessionWith(null), incoming, secrets)
    receptions.push(reception)
    response.writeHead(reception.status).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

const account = (): ServiceAccount =>
  connector.readServiceAccount?.(google.subscribers.keyFile, appOfProject()) as ServiceAccount

const appOfProject = (settings: Readonly<Record<string, string>> = { project_number: PROJECT_NUMBER }) =>
  appOfGoogle(google, settings)

function sessionWith(serviceAccount: ServiceAccount | null, settings?: Readonly<Record<string, string>>) {
  return testSession(google, connector, { app: { ...appOfProject(settings), serviceAccount }, now: () => now })
}

const asked = (url = service.url) => ({
  name: 'subscriber',
  callbackUrl: `${url}/n`,
  verificationToken: 'verify-1',
})

describe('the subscriber', () => {
  it('is created once there is a service account, and then nothing is entered by hand', () => {
    const app = sessionWith(null).app
    const secrets = { clientSecret: 'c', verificationToken: 'verify-1', issued: async () => [] }
    expect(calls.wanted([], app)).toEqual([])
    expect(reader.instructions(service.url, secrets, app).join(' ')).toContain('--service-account')
    const own = { ...app, serviceAccount: account() }
    expect(calls.wanted([], own)).toEqual([{ name: 'subscriber' }])
    expect(reader.instructions(service.url, secrets, own)).toEqual([])
  })

  it('is created with a signed JWT, is checked by Google, and sends notifications', async () => {
    const made = await calls.subscribe(sessionWith(account()), asked())
    expect(made.remoteId).toMatch(/^svc-[0-9a-f]{24}$/)
    expect(receptions).toMatchObject([{ status: 201 }, { status: 401 }])
    expect([...google.subscribers.all]).toMatchObject([[made.remoteId, { endpointUri: `${service.url}/n` }]])
    for (const dataType of TYPES) {
      const data = { version: '1', healthUserId: 'person-1', operation: 'UPSERT', dataType, intervals: [] }
      expect(await google.announce({ data })).toEqual([204])
    }
    expect(receptions.slice(2)).toMatchObject(TYPES.map(() => ({ kind: 'received' })))
    expect(google.subscribers.refusals).toEqual([])
  })

  it('is checked, found again, moved, and removed', async () => {
    const session = sessionWith(account())
    const made = await calls.subscribe(session, asked())
    expect(await calls.subscribe(session, asked())).toEqual(made)
    expect(await calls.renew?.(session, made, asked())).toEqual(made)
    const moved = await openService()
    await calls.subscribe(session, asked(moved.url))
    expect([...google.subscribers.all.values()].map(each => each.endpointUri)).toEqual([`${moved.url}/n`])
    moved.close()
    await calls.remove(session, made, asked())
    await calls.remove(session, made, asked())
    expect(google.subscribers.all.size).toBe(0)
    await expect(calls.renew?.(session, made, asked())).rejects.toMatchObject({ kind: 'not_found' })
  })

  it('is not created if the URL does not respond, and the message does not contain the URL', async () => {
    const refused = calls.subscribe(sessionWith(account()), asked('http://127.0.0.1:9'))
    await expect(refused).rejects.toMatchObject({ kind: 'bad_request', message: expect.stringMatching(/reachable/) })
    await expect(refused).rejects.not.toMatchObject({ message: expect.stringMatching(/127/) })
  })

  it('needs the key and the role, a correct clock, and the project number', async () => {
    const old = account()
    google.subscribers.rotateKey()
    await expect(calls.subscribe(sessionWith(old), asked())).rejects.toMatchObject({
      kind: 'credentials',
      message: expect.stringMatching(/key of the service account/),
    })
    google.subscribers.isAllowed = false
    await expect(calls.subscribe(sessionWith(account()), asked())).rejects.toMatchObject({
      kind: 'credentials',
      message: expect.stringMatching(/role/),
    })
    google.subscribers.isAllowed = true
    const other = sessionWith(account(), { project_number: '1' })
    await expect(calls.subscribe(other, asked())).rejects.toMatchObject({ kind: 'credentials' })
    expect(google.subscribers.refusals).toEqual(['header'])
    await expect(calls.subscribe(sessionWith(null), asked())).rejects.toMatchObject({ kind: 'credentials' })
  })

  it('is created even if the clock is half a minute ahead', async () => {
    const ahead = testSession(google, connector, {
      app: { ...appOfProject(), serviceAccount: account() },
      now: () => now + 30_000,
    })
    expect((await calls.subscribe(ahead, asked())).remoteId).not.toBe('')
  })
})

describe('a key file', () => {
  const problemOf = (text: string, settings?: Readonly<Record<string, string>>): string => {
    try {
      connector.readServiceAccount?.(text, appOfProject(settings))
      return ''
    } catch (error) {
      return error instanceof Error ? error.message : ''
    }
  }

  it('is refused if it is a different kind of file, and its content is not repeated', () => {
    for (const text of ['', 'marked', '[]', '{"client_email":"marked"}', '{"installed":{"client_id":"marked"}}']) {
      expect(problemOf(text)).toMatch(/JSON key file/)
      expect(problemOf(text)).not.toContain('marked')
    }
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })
    for (const private_key of ['marked', ec]) {
      expect(problemOf(JSON.stringify({ client_email: 'a@b', private_key }))).toMatch(/not an RSA key/)
    }
  })

  it('is used with the project number, with which most client IDs begin', () => {
    const { keyFile } = google.subscribers
    expect(problemOf(keyFile, {})).toMatch(/project_number/)
    expect(problemOf(keyFile, { project_number: 'svc-test' })).toMatch(/project_number/)
    expect(problemOf(keyFile)).toBe('')
    const app = { clientId: `${PROJECT_NUMBER}-x7.apps.googleusercontent.com`, settings: {} }
    expect(connector.readServiceAccount?.(keyFile, app)).toMatchObject({ email: expect.stringContaining('@') })
  })
})
