/** Accounts at fake providers, linked with the real connectors, and their data in the store. */
import { expect } from 'vitest'
import type { UserId } from '../../../src/core/ids.ts'
import { refreshLive } from '../../../src/engine/live/pulling/refresh-live.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import type { Harness } from '../../kit/harness.ts'
import type { FakeProvider } from '../../providers/fake-provider.ts'

const REDIRECT_URL = 'http://localhost:8484/callback'

/** Sets up a provider at its fake provider, which closes with the file, and links a new user's account. */
export async function linked(
  h: Harness,
  fake: FakeProvider,
  provider: string,
  settings: Readonly<Record<string, string>> = {},
) {
  atEndOfFile(() => fake.close())
  return setUpAndLink(h, fake, { provider, person: provider, settings })
}

export interface LinkedAs {
  readonly provider: string
  /** The new user's client user ID. */
  readonly person: string
  readonly settings?: Readonly<Record<string, string>>
}

/** Sets up a provider at these URLs, and links a new user's account. */
export async function setUpAndLink(
  h: Harness,
  fake: Pick<FakeProvider, 'clientId' | 'clientSecret' | 'authorizeUrl' | 'tokenUrl' | 'url'>,
  { provider, person, settings = {} }: LinkedAs,
) {
  const params = { provider }
  const { user_id } = await h.call('user.create', { body: { client_user_id: person } })
  const body = {
    client_id: fake.clientId,
    client_secret: fake.clientSecret,
    redirect_url: REDIRECT_URL,
    authorize_url: fake.authorizeUrl,
    token_url: fake.tokenUrl,
    api_url: fake.url,
    settings,
  }
  await h.call('provider.setup', { params, body })
  const { link_token } = await h.call('link.token', { body: { user_id, redirect_url: 'https://app.example/back' } })
  const { state, oauth_url } = await h.call('link.oauth', { params }, { linkToken: link_token })
  const { headers } = await fetch(oauth_url ?? '', { redirect: 'manual' })
  const parameters = Object.fromEntries(new URL(headers.get('location') ?? '').searchParams)
  const response = await h.call('link.oauth_callback', { params, body: { parameters } }, { linkToken: state })
  expect(response).toMatchObject({ state: 'success', connected: true })
  return user_id
}

function page(h: Harness, user_id: UserId, resource: string, provider: string, next_cursor: string) {
  const query = { start_date: '2026-08-01', end_date: '2026-11-21', provider, next_cursor }
  return h.call('timeseries.grouped', { params: { user_id, resource }, query })
}

export async function values(h: Harness, user_id: UserId, resource: string, provider: string) {
  const found: Readonly<Record<string, unknown>>[] = []
  let cursor: string | null | undefined = ''
  while (typeof cursor === 'string') {
    const { groups, next_cursor }: Awaited<ReturnType<typeof page>> = await page(h, user_id, resource, provider, cursor)
    found.push(...(groups[provider]?.flatMap(group => group.data) ?? []))
    cursor = next_cursor
  }
  return found
}

/** Pulls everything that is due now. */
export async function refresh(h: Harness, userId: UserId, provider: string): Promise<void> {
  const asked = { mostMs: 60_000, signal: undefined }
  expect(await refreshLive(h.engine.context, { userId, provider }, asked)).toBe('refreshed')
}
