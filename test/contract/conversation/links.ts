/** Steps of the conversation: link tokens, signing in at a provider, codes, and the connections that result. */
import { forUser, type Memory, NOBODY, text, topic, user, withToken } from '../conversation.ts'

const { steps, step } = topic()
export const linkSteps = steps

const token = (name: string, more: object = {}): void =>
  step(name, 'link.token', memory => ({ body: { user_id: user(memory), ...more } }))

token('a token', { redirect_url: 'https://app.example/done' })
step('a token for an unknown user', 'link.token', { body: { user_id: NOBODY } })
step('a token for an unknown provider', 'link.token', memory => ({ body: { user_id: user(memory), provider: 'x' } }))
const signIn = (name: string, body: object, from = 'a token', provider = 'whoop'): void =>
  step(name, 'link.password', () => ({ params: { provider }, body }), withToken(from))
signIn('sign in with a wrong password', { username: 'me', password: 'wrong' })
signIn('sign in at an unknown provider', { username: 'me', password: 'p' }, 'a token', 'whop')
signIn('sign in without a password', { username: 'me' })
signIn('sign in without a region', { username: 'me', password: 'p' }, 'a token', 'abbott_libreview')
signIn('sign in', { username: 'me', password: 'right' })
signIn('sign in with a used token', { username: 'me', password: 'right' })
step(
  'sign in with an unknown token',
  'link.password',
  () => ({ params: { provider: 'zwift' }, body: { username: 'a', password: 'b' } }),
  () => ({ linkToken: 'none' }),
)
token('a second token')
signIn('sign in with a code', { username: 'mfa-sms@sandbox.test', password: 'p' }, 'a second token', 'zwift')
const code = (name: string, mfaCode: string): void =>
  step(
    name,
    'link.complete_mfa',
    { params: { provider: 'zwift' }, body: { mfa_code: mfaCode } },
    withToken('a second token'),
  )
code('a wrong code', '000000')
code('the right code', '123456')
token('a third token')
signIn('sign in with a code by mail', { username: 'mfa-email@sandbox.test', password: 'p' }, 'a third token', 'kardia')
const completeForUser = (name: string): void =>
  step(name, 'link.complete_mfa_for_user', memory => ({
    params: { user_id: user(memory), provider: 'kardia' },
    body: { mfa_code: '123456' },
  }))
completeForUser('complete it for the user')
completeForUser('complete nothing')
token('a token for three', {
  filter_on_providers: ['freestyle_libre', 'oura', 'apple_health_kit'],
  redirect_url: 'https://app.example/done?from=link',
  on_error: 'redirect',
  on_close: 'redirect',
})
step('the providers of a token', 'link.providers', {}, withToken('a token for three'))
step('the providers of a used token', 'link.providers', {}, withToken('a token'))
step(
  'providers without a token',
  'link.providers',
  () => ({}),
  () => ({ linkToken: 'none' }),
)
const byMail = (name: string, body: object, provider = 'freestyle_libre'): void =>
  step(name, 'link.email', () => ({ params: { provider }, body }), withToken('a token for three'))
byMail('sign in by a mail address that is unknown', { email: 'wrong@sandbox.test' })
byMail('sign in by what is no mail address', { email: 'me' })
byMail('sign in by mail in another region', { email: 'me@example.com', region: 'jo' })
byMail('sign in by mail where there is a password', { email: 'me@example.com' }, 'whoop')
const consent = (name: string, body: object, state: (memory: Memory) => string, provider = 'oura'): void =>
  step(
    name,
    'link.oauth_consent',
    () => ({ params: { provider }, body }),
    memory => ({ linkToken: state(memory) }),
  )
const linkState = (name: string) => (memory: Memory) => text(memory, name, 'state')
step('start at a consent page', 'link.oauth', { params: { provider: 'oura' } }, withToken('a token for three'))
step(
  'start at a provider that the token does not allow',
  'link.oauth',
  { params: { provider: 'fitbit' } },
  withToken('a token for three'),
)
step(
  'start at a provider without a consent page',
  'link.oauth',
  () => ({ params: { provider: 'whoop' } }),
  withToken('a token for three'),
)
consent('deny', { decision: 'deny' }, linkState('start at a consent page'))
consent('grant too little', { decision: 'approve', scopes: ['email'] }, linkState('start at a consent page'))
consent('grant what there is not', { decision: 'approve', scopes: ['daly'] }, linkState('start at a consent page'))
consent('consent elsewhere', { decision: 'approve' }, linkState('start at a consent page'), 'fitbit')
consent('consent without a sign-in', { decision: 'approve' }, memory => text(memory, 'a token for three', 'link_token'))
consent(
  'consent',
  { decision: 'approve', scopes: ['daily', 'workout'], account: 'me@example.com' },
  linkState('start at a consent page'),
)
consent('consent again', { decision: 'approve' }, linkState('start at a consent page'))
token('a token for an e-mail sign-in')
step(
  'sign in by e-mail',
  'link.email',
  { params: { provider: 'freestyle_libre' }, body: { email: 'me@example.com' } },
  withToken('a token for an e-mail sign-in'),
)
step('connections', 'user.providers', forUser)

const demo = (name: string, body: (memory: Memory) => object): void =>
  step(name, 'link.demo', memory => ({ body: body(memory) }))
step('create a user for a demo', 'user.create', { body: { client_user_id: 'demo' } })
const demoUser = (memory: Memory): string => text(memory, 'create a user for a demo', 'user_id')
demo('a demo', memory => ({ user_id: demoUser(memory), provider: 'fitbit' }))
demo('a demo of who has a real connection', memory => ({ user_id: user(memory), provider: 'fitbit' }))
demo('a demo of what there is none of', memory => ({ user_id: demoUser(memory), provider: 'whoop' }))
demo('a demo of nobody', () => ({ user_id: NOBODY, provider: 'oura' }))
step('delete the user with the demo', 'user.delete', memory => ({ params: { user_id: demoUser(memory) } }))
