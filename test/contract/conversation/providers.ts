/** Steps of the conversation: OAuth apps of live providers, and sign-ins that the person refuses, so that no provider gets a request. */
import { NOBODY, text, topic, user, withToken } from '../conversation.ts'

const { steps, step } = topic()
export const providerSteps = steps

const setUp = (name: string, more: object = {}, provider = 'oura'): void =>
  step(name, 'provider.setup', () => ({
    params: { provider },
    body: { client_id: 'our-app', client_secret: 'a secret', ...more },
  }))
setUp('set up a provider')
setUp('set it up with less', { scopes: ['daily'], keep_raw: true })
setUp('set up what is always simulated', {}, 'zwift')
setUp('set up what there is not', {}, 'uora')
setUp('set up with a scope that there is not', { scopes: ['daly'] })
setUp('set up with plain http', { api_url: 'http://provider.example' })
step('OAuth apps', 'provider.setups', {})
step('providers, one of them live', 'provider.list', { query: { source_type: 'ring' } })

step('a token for a live provider', 'link.token', memory => ({ body: { user_id: user(memory), provider: 'oura' } }))
step(
  'start at a live provider',
  'link.oauth',
  { params: { provider: 'oura' } },
  withToken('a token for a live provider'),
)
const comeBack = (name: string, parameters: object, from = 'start at a live provider', field = 'state'): void =>
  step(
    name,
    'link.oauth_callback',
    () => ({ params: { provider: 'oura' }, body: { parameters } }),
    memory => ({ linkToken: text(memory, from, field) }),
  )
comeBack('come back with a foreign state', { code: 'c', state: 'another' })
comeBack('come back without a sign-in', { code: 'c' }, 'a token for a live provider', 'link_token')
comeBack('come back after a refusal', { error: 'access_denied' })
comeBack('come back again', { code: 'c' })
comeBack('come back without parameters', { code: 7 })

step('state of live providers', 'provider.status', {})
step('state of one live provider', 'provider.status', { query: { provider: 'oura', limit: 1 } })
step('state of an unknown provider', 'provider.status', { query: { provider: 'uora' } })
step('raw responses when there are none', 'provider.raw_answers', memory => ({
  params: { user_id: user(memory), provider: 'oura' },
}))
step('raw responses of an unknown user', 'provider.raw_answers', { params: { user_id: NOBODY, provider: 'oura' } })
const remap = (name: string, provider: string, body: object = {}): void =>
  step(name, 'provider.remap', { params: { provider }, body: body as never })
remap('read raw responses again when there are none', 'oura')
remap('read raw responses of an unknown user again', 'oura', { user_id: NOBODY })
remap('read raw responses of an unknown collection again', 'oura', { collection: 'dayly_sleep' })
remap('read raw responses of what is always simulated again', 'zwift')
step('state for an unknown user', 'provider.status', { query: { user_id: NOBODY } })
step('tear it down', 'provider.teardown', { params: { provider: 'oura' } })
step('tear it down again', 'provider.teardown', { params: { provider: 'oura' }, query: { disconnect: true } })
