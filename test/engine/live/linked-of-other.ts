/** A person of another team, who has linked an account at the same provider. */
import type { TeamId, UserId } from '../../../src/core/ids.ts'
import { runOperation } from '../../../src/engine/engine.ts'
import { newTeam } from '../teams/with-key.ts'
import { REDIRECT_URL } from './live-harness.ts'
import type { PullHarness } from './pull-harness.ts'

/** Links a person of another team, after all others. Returns the person's ID. */
export async function linkOfOther({ live, key: { provider } }: PullHarness): Promise<UserId> {
  const { h, fake } = live
  const { team_id } = await newTeam(h, 'other')
  const found = (await h.engine.context.store.teams.all()).find(each => each.team.teamId === (team_id as TeamId))
  if (!found) throw new Error('the team was not created')
  const { team } = found
  const call = async (id: Parameters<typeof runOperation>[1], params: object, body?: object, linkToken?: string) => {
    const reply = await runOperation(h.engine.context, id, {
      input: { params: params as Record<string, unknown>, query: {}, body },
      credentials: { kind: 'team', team, linkToken: linkToken ?? null },
      accept: 'application/json',
    })
    return (reply as { readonly body: Record<string, string> }).body
  }
  const oauthApp = {
    client_id: fake.clientId,
    client_secret: fake.clientSecret,
    redirect_url: REDIRECT_URL,
    authorize_url: fake.authorizeUrl,
    token_url: fake.tokenUrl,
    api_url: fake.url,
  }
  await call('provider.setup', { provider }, oauthApp)
  const { user_id } = await call('user.create', {}, { client_user_id: 'of-another-team' })
  const { link_token } = await call('link.token', {}, { user_id, redirect_url: 'https://app.example/back' })
  const { state, oauth_url = '' } = await call('link.oauth', { provider }, undefined, link_token)
  const parameters = await live.consent(oauth_url)
  await call('link.oauth_callback', { provider }, { parameters }, state)
  return user_id as UserId
}
