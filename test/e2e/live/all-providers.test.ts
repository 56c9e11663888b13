/** Every live provider against its fake provider, with the built program: link, pulls, token refresh, notifications and disconnect. */
import { describe, expect, it } from 'vitest'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { Sandbox } from '../../kit/sandbox.ts'
import { type Serving, serve } from '../../kit/serve.ts'
import { until } from '../../kit/until.ts'
import { LIVE_CASES, type LiveCase, type OpenCase } from '../../providers/live-cases.ts'

/** As long as in the test of killed pulls: twelve servers start at once here, beside other tests. */
const PATIENCE = { mostMs: 240_000, everyMs: 100 }
const TIMEOUT_MS = 300_000

interface Status {
  readonly providers: readonly { readonly in_history: number; readonly subscriptions: readonly unknown[] }[]
  readonly connections: readonly {
    readonly subscriptions: readonly unknown[]
    readonly status: string
    readonly collections: readonly { readonly last_error: unknown; readonly received: number }[]
    readonly grant: { readonly renewals: number }
  }[]
}

async function opened(each: LiveCase): Promise<OpenCase> {
  const open = await each.open()
  atEndOfFile(() => open.fake.close())
  return open
}

const appUrls = ({ fake, settings = {}, serviceAccount }: OpenCase) => ({
  ...(serviceAccount !== undefined && { service_account: serviceAccount }),
  authorize_url: fake.authorizeUrl,
  token_url: fake.tokenUrl,
  api_url: fake.url,
  settings,
})

/** Returns the first day that is pulled; null: as far back as the provider allows. */
function firstDay({ historyDays }: OpenCase): string | null {
  return historyDays === undefined ? null : new Date(Date.now() - historyDays * 86_400_000).toISOString().slice(0, 10)
}

/** Number of samples of a user's series, or of days with it. */
async function countSamples(
  ask: (path: string) => Promise<unknown>,
  userId: string,
  resource: string,
): Promise<number> {
  const start = new Date(Date.now() - 40 * 86_400_000).toISOString()
  const { groups } = (await ask(`/v2/timeseries/${userId}/${resource}/grouped?start_date=${start}`)) as {
    readonly groups: Readonly<Record<string, readonly { readonly data: readonly unknown[] }[]>>
  }
  return Object.values(groups).flatMap(all => all.flatMap(({ data }) => data)).length
}

describe.concurrent.each(LIVE_CASES)('under svc serve, $provider', { timeout: TIMEOUT_MS }, each => {
  it('links, pulls its history, refreshes its tokens, receives notifications and revokes its access', async () => {
    const open = await opened(each)
    const { fake, resource } = open
    const server = await serve(new Sandbox(), ['--rate-limit', '0'])
    const { json: made, status: setUp } = await server.ask('PUT', `/svc/v1/providers/${each.provider}/setup`, {
      client_id: fake.clientId,
      client_secret: fake.clientSecret,
      ...appUrls(open),
    })
    expect(setUp, JSON.stringify(made)).toBe(200)
    const { notification_url } = made as { readonly notification_url: string }
    const userId = await linkedInBrowser(server, each.provider, open)
    const status = async (): Promise<Status> => {
      const { json } = await server.ask('GET', `/svc/v1/providers/status?provider=${each.provider}`)
      return json as Status
    }
    await until(async () => (await status()).providers[0]?.in_history === 0, {
      ...PATIENCE,
      why: () => 'the history has not ended',
    })
    const [connection] = (await status()).connections
    expect(connection?.status).toBe('connected')
    expect(connection?.collections.flatMap(({ last_error }) => last_error ?? [])).toEqual([])
    const count = () => countSamples(async path => (await server.ask('GET', path)).json, userId, resource)
    const before = await count()
    expect(before).toBeGreaterThan(10)

    // the pulls run in a thread of the server
    await until(async () => {
      const metrics = await fetch(`${server.url}/metrics`, { headers: { 'x-service-api-key': server.api_key } })
      return (await metrics.text()).includes(`svc_provider_pulls_total{provider="${each.provider}",outcome="done"}`)
    }, PATIENCE)

    const isSubscribed = async (): Promise<boolean> => {
      const { providers, connections } = await status()
      const known = [...providers, ...connections].flatMap(({ subscriptions }) => subscriptions)
      return open.isSubscribed === undefined || (known.length > 0 && open.isSubscribed())
    }
    await until(isSubscribed, { ...PATIENCE, why: () => 'there is no subscription' })
    let statuses = await open.announce(notification_url)
    // on a busy machine, the provider's key may arrive too late; providers repeat notifications that got 503
    for (let i = 0; i < 5 && statuses?.includes(503); i++) statuses = await open.announce(notification_url)
    if (statuses !== null) {
      expect(statuses.length).toBeGreaterThan(0)
      for (const response of statuses) expect([200, 201, 204]).toContain(response)
      await until(async () => (await count()) > before, {
        ...PATIENCE,
        why: () => 'nothing came after the notification',
      })
    }

    // the access token expires earlier than stated
    for (const tokenSet of fake.tokenSets) tokenSet.expiresAt = 0
    const { json: refreshed } = await server.ask('POST', `/v2/user/refresh/${userId}?timeout=30`)
    if (each.canRefresh) {
      expect(refreshed).toMatchObject({ success: true, failed_sources: [] })
      expect((await status()).connections[0]?.grant.renewals).toBeGreaterThan(0)
      expect(fake.reuses).toBe(0)
    } else {
      expect((await status()).connections[0]?.status).toBe('error')
    }
    expect(await count()).toBeGreaterThanOrEqual(before)

    expect((await server.ask('DELETE', `/v2/user/${userId}/${each.provider}`)).status).toBe(200)
    if (each.canRevoke && each.canRefresh) await until(open.isRevoked, PATIENCE)
    expect(await count()).toBeGreaterThanOrEqual(before)
    const secrets = [
      fake.clientSecret,
      ...fake.tokenSets.flatMap(tokenSet => [
        tokenSet.accessToken,
        ...(tokenSet.refreshToken === null ? [] : [tokenSet.refreshToken]),
      ]),
    ]
    for (const secret of secrets) expect(server.log()).not.toContain(secret)
    expect(await server.stop('SIGTERM')).toBe(0)
  })
})

/** Links an account as a person's browser does. Returns the user's ID. */
async function linkedInBrowser(server: Serving, provider: string, open: OpenCase): Promise<string> {
  const { json: user } = await server.ask('POST', '/v2/user', {
    client_user_id: 'ada',
    ingestion_start: firstDay(open),
  })
  const { user_id } = user as { readonly user_id: string }
  const { json: token } = await server.ask('POST', '/v2/link/token', { user_id, provider })
  const { link_token } = token as { readonly link_token: string }
  const source = await fetch(`${server.url}/v2/link/provider/oauth/${provider}`, {
    headers: { 'x-service-link-token': link_token },
  })
  expect(source.status).toBe(200)
  const { oauth_url } = (await source.json()) as { readonly oauth_url: string }
  const consented = await fetch(oauth_url, { redirect: 'manual' })
  const back = await fetch(consented.headers.get('location') ?? '')
  expect(back.status).toBe(200)
  expect(back.url).toContain('/link/done')
  return user_id
}

describe.concurrent.each(LIVE_CASES)('embedded, $provider', { timeout: TIMEOUT_MS }, each => {
  it('links with a pasted callback URL, pulls its history, and disconnects', async () => {
    const open = await opened(each)
    const { fake, resource } = open
    const sandbox = new Sandbox()
    const settings = Object.entries(open.settings ?? {}).flatMap(([name, value]) => ['--setting', `${name}=${value}`])
    const setupArgs = ['provider', 'setup', each.provider, '--client-id', fake.clientId, '--client-secret-stdin']
    const urls = ['--authorize-url', fake.authorizeUrl, '--token-url', fake.tokenUrl, '--api-url', fake.url]
    const redirect = ['--redirect-url', 'http://localhost:8484/callback']
    const made = await sandbox.run([...setupArgs, ...urls, ...redirect, ...settings], {
      input: `${fake.clientSecret}\n`,
    })
    expect(made).toMatchObject({ status: 0 })
    expect(made.stdout + made.stderr).not.toContain(fake.clientSecret)
    const first = firstDay(open)
    const create = ['user', 'create', 'ada', ...(first === null ? [] : ['--ingestion-start', first])]
    const { user_id } = (await sandbox.json(create)) as { readonly user_id: string }
    const started = (await sandbox.json(['link', 'oauth', each.provider, '--user', 'ada'])) as {
      readonly oauth_url: string
    }
    const consented = await fetch(started.oauth_url, { redirect: 'manual' })
    const callbackUrl = consented.headers.get('location') ?? ''
    const linked = await sandbox.run(['link', 'oauth', each.provider, '--callback-url-stdin', '--json'], {
      input: callbackUrl,
    })
    expect(linked, linked.stderr).toMatchObject({ status: 0 })
    expect(JSON.parse(linked.stdout)).toMatchObject({ state: 'success', provider: each.provider })
    await sandbox.json(['engine', 'run-due'])
    const status = (await sandbox.json(['provider', 'status', each.provider])) as Status
    expect(status.providers[0]).toMatchObject({ in_history: 0 })
    const ask = (path: string) => sandbox.json(['api', 'GET', path])
    expect(await countSamples(ask, user_id, resource)).toBeGreaterThan(10)
    await sandbox.json(['provider', 'disconnect', 'ada', each.provider, '--yes'])
    if (each.canRevoke) expect(open.isRevoked()).toBe(true)
    expect(fake.reuses).toBe(0)
  })
})
