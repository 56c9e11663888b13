/** Secrets of live providers appear only at the provider: never in output, logs, exports, recordings, copies or stored files. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { IS_ON_POSTGRES } from '../../kit/postgres/database.ts'
import { readRows } from '../../kit/postgres/rows.ts'
import { Sandbox } from '../../kit/sandbox.ts'
import { serve } from '../../kit/serve.ts'
import { until } from '../../kit/until.ts'
import { openOura } from '../../providers/oura/oura.ts'

const CLIENT_SECRET = 'canary-client-secret-5f1c'
const ACCOUNT = 'canary-account-77a2'

const SNAPSHOTS = [
  ['engine', 'snapshot', 'save', 'now'],
  ['engine', 'snapshot', 'export', 'copy.db'],
]

function* filesIn(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const at = path.join(folder, name)
    if (statSync(at).isDirectory()) yield* filesIn(at)
    else yield at
  }
}

it('never reveals token sets, codes, secrets or raw responses', { timeout: 300_000 }, async () => {
  const fake = await openOura({ clientSecret: CLIENT_SECRET })
  atEndOfFile(() => fake.close())
  fake.consent = { account: ACCOUNT }
  fake
    .person(ACCOUNT)
    .heartrate.push({ timestamp: new Date(Date.now() - 3_600_000).toISOString(), bpm: 61, source: 'awake' })
  Object.assign(fake.person(ACCOUNT).info, { email: 'canary-mail@example.org' })
  const sandbox = new Sandbox()
  const printed: string[] = []
  const svc = async (args: readonly string[], input = '') => {
    const run = await sandbox.run(args, { input })
    printed.push(`${args.join(' ')}: ${run.stdout}${run.stderr}`)
    return run
  }
  const server = await serve(sandbox, ['--rate-limit', '0'])
  const urls = ['--authorize-url', fake.authorizeUrl, '--token-url', fake.tokenUrl, '--api-url', fake.url]
  const client = ['--client-id', fake.clientId, '--client-secret-stdin', '--keep-raw']
  const revoke = ['--setting', `revoke_url=${fake.url}/oauth/revoke`]
  const made = await svc(['provider', 'setup', 'oura', ...client, ...urls, ...revoke], `${CLIENT_SECRET}\n`)
  expect(made.status, made.stderr).toBe(0)
  // a PostgreSQL store records nothing, and has no named snapshots
  const recording = IS_ON_POSTGRES ? null : sandbox.start(['engine', 'record', 'recording.ndjson'])
  await until(() => recording?.stderr() !== '')
  const { user_id } = (await sandbox.json(['user', 'create', 'ada'])) as { readonly user_id: string }
  const started = (await sandbox.json(['link', 'oauth', 'oura', '--user', 'ada'])) as { readonly oauth_url: string }
  const consented = await fetch(started.oauth_url, { redirect: 'manual' })
  const callbackUrl = new URL(consented.headers.get('location') ?? '')
  const code = callbackUrl.searchParams.get('code') ?? ''
  expect((await fetch(callbackUrl)).url).toContain('/link/done')
  await until(async () => {
    const { json } = await server.ask('GET', '/svc/v1/providers/status?provider=oura')
    return (json as { readonly providers: readonly { readonly in_history: number }[] }).providers[0]?.in_history === 0
  })
  for (const tokenSet of fake.tokenSets) tokenSet.expiresAt = 0
  await server.ask('POST', `/v2/user/refresh/${user_id}?timeout=30`)
  // a refused code, a foreign state and a forged notification are reported without repeating them
  const again = await fetch(callbackUrl)
  printed.push(await again.text())
  const apps = (await sandbox.json(['provider', 'setups'])) as {
    readonly setups: readonly { readonly notification_url: string }[]
  }
  const forged = await fetch(apps.setups[0]?.notification_url ?? '', {
    method: 'POST',
    body: `{"user_id":"${ACCOUNT}"}`,
  })
  expect(forged.status).toBeGreaterThanOrEqual(400)
  printed.push(await forged.text())
  for (const args of [
    ['provider', 'status', 'oura', '--collections'],
    ['provider', 'list', '--user', 'ada'],
    ['user', 'pulls', 'ada'],
    ['event', 'list'],
    ['engine', 'audit'],
    ['engine', 'status'],
    ['engine', 'check'],
    ['user', 'export', 'ada', '--out', 'export'],
    ...(IS_ON_POSTGRES ? [] : SNAPSHOTS),
  ]) {
    const run = await svc(args)
    expect(run.status, `${args.join(' ')}: ${run.stderr}`).toBe(0)
  }
  await recording?.stop('SIGINT')
  if (recording) printed.push(recording.stdout() + recording.stderr())
  const metrics = await fetch(`${server.url}/metrics`, { headers: { 'x-service-api-key': server.api_key } })
  printed.push(await metrics.text())
  const tokens = fake.tokenSets.flatMap(each => [each.accessToken, each.refreshToken ?? '', ...each.usedUp])
  expect(tokens.length).toBeGreaterThan(2)
  const raw = await sandbox.run(['provider', 'raw', 'ada', 'oura', '--json'])
  expect(raw.stdout).toContain('canary-mail@example.org')
  expect(await server.stop('SIGTERM')).toBe(0)

  const store = sandbox.env['SVC_STORE']
  if (store !== undefined) {
    const copied = await svc(['engine', 'copy', '--from', store, '--to', 'copied'])
    expect(copied.status, copied.stderr).toBe(0)
  }
  const secrets = [CLIENT_SECRET, code, ...tokens.filter(token => token !== '')]
  for (const text of [...printed, raw.stdout, server.log()])
    for (const secret of secrets) expect(text).not.toContain(secret)
  const unstored = [...secrets, 'canary-mail@example.org']
  for (const file of filesIn(sandbox.folder)) {
    const bytes = readFileSync(file)
    for (const secret of unstored) expect(bytes.includes(secret), `${file} has a secret`).toBe(false)
  }
  if (store === undefined) return
  const forms = unstored.flatMap(secret => [secret, Buffer.from(secret).toString('hex')])
  for await (const row of readRows(store)) for (const form of forms) expect(row).not.toContain(form)
})
