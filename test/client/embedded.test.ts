/** The service in the same process, called with the key of a team in the folder or without a key. */
import { afterEach, describe, expect, it } from 'vitest'
import type { ServiceClient } from '../../src/client/client.ts'
import { openEmbedded } from '../../src/client/embedded.ts'
import { ServiceError } from '../../src/core/errors.ts'
import { temporaryFolder } from '../kit/folder.ts'

const open: ServiceClient[] = []
const client = async (dataDir: string, apiKey: string | null = null) => {
  const made = await openEmbedded({ dataDir, publicUrl: null, apiKey })
  open.push(made)
  return made
}
afterEach(async () => {
  await Promise.all(open.splice(0).map(each => each.close()))
})

async function readBody<T>(reply: Promise<unknown>): Promise<T> {
  return ((await reply) as { body: T }).body
}

describe('a client with a key', () => {
  it('acts as the team of the key, and without a key as the local team', async () => {
    const dataDir = temporaryFolder()
    const local = await client(dataDir)
    const team = await readBody<{ api_key: string; team_id: string }>(
      local.call('team.create', { body: { name: 'acme' } }),
    )
    const acme = await client(dataDir, team.api_key)
    expect(await readBody(acme.call('team.whoami', {}))).toEqual({ team_id: team.team_id, name: 'acme' })
    const { user_id } = await readBody<{ user_id: string }>(
      acme.call('user.create', { body: { client_user_id: 'ada' } }),
    )
    await expect(local.call('user.get', { params: { user_id } })).rejects.toMatchObject({ code: 'user_not_found' })
    const { link_token } = await readBody<{ link_token: string }>(acme.call('link.token', { body: { user_id } }))
    const linked = acme.call(
      'link.password',
      { params: { provider: 'whoop' }, body: { username: 'ada', password: 'secret' } },
      { linkToken: link_token },
    )
    expect(await readBody(linked)).toMatchObject({ state: 'success' })
  })

  it('gets a remedy when the key is unknown here, or is not an operator’s', async () => {
    const dataDir = temporaryFolder()
    const stranger = await client(dataDir, 'sk_us_of-a-server-elsewhere')
    const refused = await stranger.call('user.list', {}).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ServiceError)
    expect(refused).toMatchObject({ code: 'invalid_api_key', body: { detail: 'Invalid API key' } })
    expect((refused as ServiceError).suggestions.join()).toContain('SVC_API_KEY')
    const local = await client(dataDir)
    const team = await readBody<{ api_key: string }>(local.call('team.create', { body: { name: 'acme' } }))
    const acme = await client(dataDir, team.api_key)
    await expect(acme.call('team.list', {})).rejects.toMatchObject({
      code: 'operator_only',
      suggestions: [expect.stringContaining('local team')],
    })
  })
})
