/** The processes of the benchmark of live providers: the fake provider and servers; and people who link their accounts. */
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { bundled, root } from '../bundle.mjs'

const svc = join(root, 'bin', 'run.js')

/** Starts the fake provider. `ask` sends it a message and returns its reply. */
export async function startFakeProvider(options) {
  const { path } = await bundled('providers/oura-like.ts', { isProgram: true })
  const child = fork(path, [JSON.stringify(options)])
  process.once('exit', () => child.kill())
  const [fakeUrl] = await once(child, 'message')
  return {
    ...fakeUrl,
    async ask(question) {
      const message = once(child, 'message')
      child.send(question)
      return (await message)[0]
    },
    end: () => child.kill(),
  }
}

/** Starts `svc serve` on a data folder. `port` 0 picks a free one. */
export async function serve(folder, port = 0) {
  const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env
  const env = {
    ...inherited,
    NODE_ENV: 'production',
    SVC_DATA_DIR: join(folder, 'data'),
    SVC_CONFIG_DIR: folder,
    SVC_CACHE_DIR: join(folder, 'cache'),
  }
  const args = [svc, 'serve', '--port', `${port}`, '--json', '--quiet', '--rate-limit', '0']
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const [line] = await once(child.stdout, 'data')
  const { url, api_key } = JSON.parse(line.toString('utf8'))
  const call = async (method, path, body, headers = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: { 'x-service-api-key': api_key, ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? null : JSON.parse(text)
  }
  return {
    child,
    url,
    apiKey: api_key,
    call,
    async end(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exit = once(child, 'exit')
      child.kill(signal)
      await exit
    },
  }
}

/** Makes Oura live with the fake provider's URLs. Returns the OAuth app. */
export function setUp({ call }, fake, changed = {}) {
  return call('PUT', '/svc/v1/providers/oura/setup', {
    client_id: fake.clientId,
    client_secret: fake.clientSecret,
    authorize_url: `${fake.url}/oauth/authorize`,
    token_url: `${fake.url}/oauth/token`,
    api_url: fake.url,
    redirect_url: 'http://localhost:1/callback',
    ...changed,
  })
}

/** Creates a user, with these fields, and links their account. Returns the user's ID. */
export async function linkPerson({ call }, fake, account, user = {}) {
  const { user_id } = await call('POST', '/v2/user', { client_user_id: account, ...user })
  const { link_token } = await call('POST', '/v2/link/token', { user_id, provider: 'oura' })
  const headers = { 'x-service-link-token': link_token }
  const { oauth_url, state } = await call('GET', '/v2/link/provider/oauth/oura', undefined, headers)
  await fake.ask({ ask: 'consent', account })
  const consented = await fetch(oauth_url, { redirect: 'manual' })
  const parameters = Object.fromEntries(new URL(consented.headers.get('location')).searchParams)
  const message = await call(
    'POST',
    '/svc/v1/link/oauth/oura/callback',
    { parameters },
    { 'x-service-link-token': state },
  )
  if (message.state !== 'success') throw new Error(`not linked: ${message.error_type} ${message.error}`)
  return user_id
}
