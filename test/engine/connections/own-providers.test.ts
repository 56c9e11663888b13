/** Engines in one process: each knows the shipped providers and the operator's own of its file, and no others. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { beforeAll, expect, it } from 'vitest'
import { openApiDocument } from '../../../src/contract/kernel/openapi.ts'
import type { UserId } from '../../../src/core/ids.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'
import { serve } from '../../kit/server.ts'

const folder = temporaryFolder()

/** Writes a file with one provider that is linked with a password and one with a consent page. */
function ownProviders(name: string): string {
  const file = path.join(folder, `${name}.json`)
  const common = { name: `The ${name}`, resources: ['steps', 'sleep'] }
  const cloud = { ...common, slug: `${name}_cloud`, auth_type: 'oauth', scopes: [{ name: 'all', required: true }] }
  writeFileSync(file, JSON.stringify([{ ...common, slug: `${name}_band`, auth_type: 'password' }, cloud]))
  return file
}

const SHIPPED = 41
let acme: Harness
let zeta: Harness
let plain: Harness

beforeAll(async () => {
  acme = await openHarness({ providers: ownProviders('acme') })
  zeta = await openHarness({ providers: ownProviders('zeta') })
  plain = await openHarness()
})

async function newUser(h: Harness, client_user_id: string): Promise<UserId> {
  return (await h.call('user.create', { body: { client_user_id } })).user_id as UserId
}

it('lists the shipped providers and those of its own file', async () => {
  const own = async (h: Harness) => (await h.call('provider.list', {})).slice(SHIPPED).map(each => each.slug)
  expect(await own(acme)).toEqual(['acme_band', 'acme_cloud'])
  expect(await own(zeta)).toEqual(['zeta_band', 'zeta_cloud'])
  expect(await own(plain)).toEqual([])
})

it.each(['acme', 'zeta'])('links %s, names it, and has data of it', async name => {
  const h = name === 'acme' ? acme : zeta
  const user_id = await newUser(h, `links ${name}`)
  const { link_token: linkToken } = await h.call('link.token', { body: { user_id } })
  const linkable = await h.call('link.providers', {}, { linkToken })
  expect(linkable.slice(-2).map(each => [each.id, each.slug])).toEqual([
    [SHIPPED + 1, `${name}_band`],
    [SHIPPED + 2, `${name}_cloud`],
  ])
  const { oauth_url, id } = await h.call('link.oauth', { params: { provider: `${name}_cloud` } }, { linkToken })
  expect([oauth_url, id]).toEqual([null, SHIPPED + 2])
  const provider = `${name}_band`
  const body = { username: 'ada', password: 'pw' }
  expect(await h.call('link.password', { params: { provider }, body }, { linkToken })).toMatchObject({
    connected: true,
  })
  const user = await h.call('user.get', { params: { user_id } })
  expect(user.connected_sources).toMatchObject([{ provider: { name: `The ${name}`, slug: provider } }])
  const { data } = await h.call('event.list', { query: { type: 'provider.connection.created', payload: true } })
  expect(data).toMatchObject([{ payload: { data: { provider: { name: `The ${name}`, slug: provider } } } }])
  const { entries } = await h.call('audit.list', {})
  expect(entries.some(each => each.object['provider'] === provider)).toBe(true)
})

it("refuses the other file's providers wherever a provider is named, and suggests only its own", async () => {
  const user_id = await newUser(zeta, 'refused')
  const { link_token: linkToken } = await zeta.call('link.token', { body: { user_id } })
  const sample = { resource: 'steps', provider: 'acme_band', start: '2026-11-19T08:00:00Z', value: 3 }
  const stream = Readable.from([Buffer.from(JSON.stringify({ samples: [sample] }))])
  const timeframe = { type: 'relative', anchor: '2026-11-19', past: { unit: 'day', value: 1 } } as const
  const select = [{ func: 'mean', arg: { timeseries: 'steps', field: 'value' } }] as const
  const config = { provider_priority_overrides: ['acme_band'] }
  const refusals = [
    await zeta.refusal('link.token', { body: { user_id, provider: 'acme_band' } }),
    await zeta.refusal(
      'link.password',
      { params: { provider: 'acme_band' }, body: { username: 'a', password: 'b' } },
      { linkToken },
    ),
    await zeta.refusal('link.oauth', { params: { provider: 'acme_cloud' } }, { linkToken }),
    await zeta.refusal('user.disconnect', { params: { user_id, provider: 'acme_band' } }),
    await zeta.refusal('samples.push', { params: { user_id }, body: { kind: 'stream', stream } }),
    await zeta.refusal('source_priority.replace', {
      body: [{ data_type: 'sleep', provider: 'acme_band', priority: 1 }],
    }),
    await zeta.refusal('aggregate.query', {
      params: { user_id },
      body: { timeframe, queries: [{ select: [...select] }], config },
    }),
  ]
  for (const refusal of refusals) {
    expect(refusal.status, refusal.message).toBe(422)
    expect(refusal.message).not.toMatch(/acme_(?!band"|cloud")/)
  }
  expect(refusals[0]?.message).toContain('zeta_band')
})

it('serves documents with its own slugs only', async () => {
  const server = await serve({ providers: ownProviders('acme') })
  const { text } = await server.ask('GET', '/openapi.json', { key: null })
  const { providers } = acme.engine.context
  const { info } = JSON.parse(text)
  const rebuilt = openApiDocument({ version: info.version, serverUrl: server.url, providers })
  expect(text).toBe(JSON.stringify(rebuilt))
  expect(text).toContain('"acme_band"')
  expect(text).not.toContain('zeta_')
  const page = await server.ask('GET', '/link/done?provider=acme_cloud', { key: null })
  expect(page.text).toContain('The acme')
})
