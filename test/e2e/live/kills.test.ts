/**
 * A server that is killed during links, token refreshes and pulls loses no token set, refreshes none twice, and loses or repeats no record.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { seededRandom } from '../../../src/core/random.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { freePort } from '../../kit/free-port.ts'
import { Sandbox } from '../../kit/sandbox.ts'
import { seed } from '../../kit/seed.ts'
import { type Serving, serve } from '../../kit/serve.ts'
import { until } from '../../kit/until.ts'
import { openOura } from '../../providers/oura/oura.ts'

const KILLS = 8
const PEOPLE = 6
const DAYS = 12
const HEART_RATES_PER_DAY = 288
const DAY_MS = 86_400_000
/** Work of a killed process waits for its leases: a minute for the pull, and one or two for the token refresh. */
const PATIENCE = { mostMs: 240_000, everyMs: 200 }

interface Status {
  readonly providers: readonly { readonly in_history: number }[]
  readonly connections: readonly { readonly user_id: string; readonly status: string }[]
}

it('continues from its last position whenever it is killed', async () => {
  const why = `SVC_TEST_SEED=${seed}`
  const random = seededRandom(`${seed}`)
  const share = (): number => (random.bytes(1)[0] ?? 0) / 256
  const fake = await openOura()
  atEndOfFile(() => fake.close())
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  for (let i = 0; i < PEOPLE; i++) {
    const { heartrate } = fake.person(`person-${i}`)
    for (let at = today - DAYS * DAY_MS; at < today; at += DAY_MS / HEART_RATES_PER_DAY) {
      heartrate.push({ timestamp: new Date(at).toISOString(), bpm: 60, source: 'awake' })
    }
  }
  const sandbox = new Sandbox()
  const port = ['--port', String(await freePort()), '--rate-limit', '0']
  let server = await serve(sandbox, port)
  const setUp = {
    client_id: fake.clientId,
    client_secret: fake.clientSecret,
    authorize_url: fake.authorizeUrl,
    token_url: fake.tokenUrl,
    api_url: fake.url,
    settings: { revoke_url: `${fake.url}/oauth/revoke` },
  }
  expect((await server.ask('PUT', '/svc/v1/providers/oura/setup', setUp)).status, why).toBe(200)
  const users: string[] = []
  const linked = new Set<string>()
  for (let i = 0; i < PEOPLE; i++) {
    const { json } = await server.ask('POST', '/v2/user', { client_user_id: `user-${i}` })
    users.push((json as { readonly user_id: string }).user_id)
  }

  for (let kill = 0; kill < KILLS; kill++) {
    // the access tokens expire, so that each round begins with token refreshes
    for (const tokenSet of fake.tokenSets) if (share() < 0.5) tokenSet.expiresAt = 0
    const work = runWork(server, users, linked, fake)
    await pause(share() * 2_500)
    await server.stop('SIGKILL')
    await work
    server = await serve(sandbox, port)
  }

  // an interrupted link is not acknowledged, and the person tries again
  await runWork(server, users, linked, fake)
  expect(linked.size, why).toBe(PEOPLE)
  const status = async (): Promise<Status> => {
    const { json } = await server.ask('GET', '/svc/v1/providers/status?provider=oura')
    return json as Status
  }
  const isSettled = async (): Promise<boolean> => {
    const { providers, connections } = await status()
    const failed = connections.filter(each => each.status === 'error').map(each => each.user_id)
    lost += failed.length
    for (const user of failed) linked.delete(user)
    if (failed.length > 0) await runWork(server, users, linked, fake)
    return failed.length === 0 && providers[0]?.in_history === 0
  }
  let lost = 0
  await until(isSettled, { ...PATIENCE, why: () => `history, ${why}` })
  // a token refresh that was interrupted after the provider's response is lost with its process, and the person must link again
  expect(lost, why).toBeLessThanOrEqual(fake.reuses)
  expect(fake.reuses, why).toBeLessThanOrEqual(KILLS)
  expect((await status()).connections, why).toHaveLength(PEOPLE)
  const start = new Date(today - (DAYS + 2) * DAY_MS).toISOString()
  for (const user of users) {
    let samples = 0
    let cursor: string | null = ''
    while (cursor !== null) {
      const next = cursor === '' ? '' : `&next_cursor=${cursor}`
      const { json } = await server.ask('GET', `/v2/timeseries/${user}/heartrate/grouped?start_date=${start}${next}`)
      const page = json as {
        readonly groups: Readonly<Record<string, readonly { readonly data: readonly unknown[] }[]>>
        readonly next_cursor: string | null
      }
      samples += Object.values(page.groups).flatMap(all => all.flatMap(({ data }) => data)).length
      cursor = page.next_cursor
    }
    expect(samples, why).toBe(DAYS * HEART_RATES_PER_DAY)
  }
  for (const { accessToken, refreshToken } of fake.tokenSets) {
    expect(server.log()).not.toContain(accessToken)
    expect(server.log()).not.toContain(refreshToken)
  }
  expect(await server.stop('SIGTERM')).toBe(0)
}, 400_000)

/** Links all users who are not linked, and refreshes the others, until the server is gone. */
async function runWork(
  server: Serving,
  users: readonly string[],
  linked: Set<string>,
  fake: Awaited<ReturnType<typeof openOura>>,
): Promise<void> {
  try {
    for (const [i, user] of users.entries()) {
      if (linked.has(user)) await server.ask('POST', `/v2/user/refresh/${user}?timeout=1`)
      else {
        fake.consent = { account: `person-${i}` }
        await link(server, user)
        linked.add(user)
      }
    }
  } catch {
    // the server was killed
  }
}

async function link(server: Serving, user: string): Promise<void> {
  const { json: token } = await server.ask('POST', '/v2/link/token', { user_id: user, provider: 'oura' })
  const headers = { 'x-service-link-token': (token as { readonly link_token: string }).link_token }
  const source = await fetch(`${server.url}/v2/link/provider/oauth/oura`, { headers })
  const { oauth_url } = (await source.json()) as { readonly oauth_url: string }
  const consented = await fetch(oauth_url, { redirect: 'manual' })
  const back = await fetch(consented.headers.get('location') ?? '')
  if (!back.url.includes('/link/done')) throw new Error('the link was not acknowledged')
}
