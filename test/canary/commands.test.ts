/**
 * No command prints sensitive data. Each runs with marks in every flag, file and stream that can contain a name, an address, a secret or a
 * health value; then its stderr, and its stdout if it failed, are searched for the marks. The commands and their flags come from the
 * manifest, so a new command is covered automatically. See docs/security.md.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { InProcessSandbox } from '../kit/in-process.ts'
import { type Run, root } from '../kit/sandbox.ts'
import { DIGITS, MARKED_ADDRESS, MARKED_PERSON, marksIn, VALUE, WORD } from './marks.ts'

interface Flag {
  readonly name: string
  readonly type: 'option' | 'boolean'
  readonly required?: boolean
  readonly options?: readonly string[]
  readonly helpGroup?: string
}
interface Command {
  readonly id: string
  readonly args: Readonly<Record<string, { readonly required?: boolean }>>
  readonly flags: Readonly<Record<string, Flag>>
}

const manifest = JSON.parse(readFileSync(path.join(root, 'oclif.manifest.json'), 'utf8')) as {
  readonly commands: Readonly<Record<string, Command>>
}
/** Commands that run until they are stopped. operations.test.ts covers `serve`; the others print nothing from events on stderr. */
const ENDLESS = ['serve', 'open', 'listen', 'engine:record']
const commands = Object.values(manifest.commands).filter(({ id }) => !ENDLESS.includes(id) && id !== 'help')

/** Flags that contain personal data or a secret. */
const SENSITIVE =
  /name$|email|phone|gender|dob|birth|line$|^city|^state|^zip|country|notes|race|ethnicity|orientation|member|group-id|account|mfa-code|passthrough|^search|message|^field/

/** Arguments that identify an object. Every other argument is free text. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  user: 'ada',
  provider: 'whoop',
  resource: 'steps',
  path: '/v2/user',
  method: 'POST',
  order: '10000000-0000-4000-8000-000000000000',
  import_id: '10000000-0000-4000-8000-000000000000',
  id: '10000000-0000-4000-8000-000000000000',
  key: '10000000-0000-4000-8000-000000000000',
  passkey: '10000000-0000-4000-8000-000000000000',
  file: 'marked.csv',
  duration: '1s',
  type: 'sleep',
  table: 'sleep',
  // names that the operator chooses; messages may repeat them
  name: 'home',
  team: 'home',
  person: 'home',
  lab: '27',
  code: '001',
  test: 'iron-status',
  slug: 'steps',
  watch: 'steps',
  shell: 'bash',
  query: '-',
}
const REQUIRED: Readonly<Record<string, string>> = {
  user: 'ada',
  start: '2026-11-01',
  end: '2026-11-02',
  out: 'out',
  from: 'elsewhere',
  to: 'out',
  headers: 'marked.txt',
  body: 'marked.csv',
}

const document = JSON.stringify({
  ...MARKED_PERSON,
  dob: WORD,
  address: MARKED_ADDRESS,
  patient_details: { ...MARKED_PERSON, dob: WORD },
  patient_address: MARKED_ADDRESS,
  member_id: WORD,
  where: `value > ${VALUE}`,
  value: VALUE,
})

/** Returns how to call a command. stdin contains the secret if the command can read one from there, otherwise a document. */
function commandArguments({ id, args, flags }: Command): { readonly argv: string[]; readonly input: string } {
  const argv = id.split(':')
  for (const [name, { required }] of Object.entries(args)) {
    const value = ARGUMENTS[name]
    if (required || (value !== undefined && name !== 'query')) argv.push(value ?? WORD)
  }
  const own = Object.values(flags).filter(flag => flag.helpGroup !== 'GLOBAL')
  for (const flag of own) {
    if (flag.type === 'boolean') continue
    if (SENSITIVE.test(flag.name) && !flag.options) argv.push(`--${flag.name}`, markFor(flag.name))
    else if (flag.required) argv.push(`--${flag.name}`, REQUIRED[flag.name] ?? flag.options?.[0] ?? WORD)
  }
  const secret = own.find(flag => flag.type === 'boolean' && flag.name.endsWith('-stdin'))
  if (secret) return { argv: [...argv, `--${secret.name}`], input: `${WORD}\n` }
  if ('file' in flags) argv.push('--file', '-')
  return { argv, input: document }
}

function markFor(name: string): string {
  if (name === 'field') return `client_user_id=${WORD}`
  return /phone|code/.test(name) ? `+${DIGITS}` : WORD
}

const sandbox = new InProcessSandbox()
const runs = new Map<string, Run>()
const AT_ONCE = 2

beforeAll(async () => {
  writeFileSync(path.join(sandbox.folder, 'marked.csv'), `Time,Heart rate,Name\n${WORD},${VALUE},${WORD}\n"${WORD}`)
  writeFileSync(path.join(sandbox.folder, 'marked.txt'), `webhook-id: ${WORD}\nwebhook-timestamp: ${WORD}\n`)
  await sandbox.json(['user', 'create', 'ada'])
  const waiting = [...commands]
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { argv, input } = commandArguments(next)
      runs.set(next.id, await sandbox.run([...argv, '--debug', '--no-input'], { input }))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}, 300_000)

/** Returns the output that a person sees, plus the output that a failure leaves in a pipe. */
const spoken = ({ status, stdout, stderr }: Run): string => (status === 0 ? stderr : stderr + stdout)

describe('marks', () => {
  it.each(commands.map(each => each.id))('do not appear in the output of svc %s', id => {
    const run = runs.get(id) as Run
    const words = spoken(run)
    expect(words).not.toMatch(/Nonexistent flag|Unexpected argument/)
    expect(marksIn(words), words.slice(0, 600)).toEqual([])
    // exit 1 means a bug, caused by the marks
    expect(run.status, words.slice(0, 600)).not.toBe(1)
  })

  it('in keys and tokens do not appear in messages', async () => {
    const env = { SVC_API_KEY: `sk_us_${WORD}`, SVC_LINK_TOKEN: WORD, SVC_BASE_URL: '', SVC_PASSWORD: WORD }
    const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
    for (const argv of [['user', 'list'], ['whoami'], ['link', 'password', 'whoop', '--username', WORD]]) {
      const run = await sandbox.run([...argv, '--debug', '--no-input'], { env: given })
      expect(marksIn(run.stderr + run.stdout), argv.join(' ')).toEqual([])
    }
  })

  it('in a store’s password do not appear in messages', async () => {
    const url = `postgres://svc:${WORD}@127.0.0.1:1/svc`
    const key = '0f'.repeat(32)
    const variables = { SVC_STORE: url, SVC_MASTER_KEY: key, SVC_DATA_DIR: path.join(sandbox.folder, 'of-store') }
    const ways: [string[], Record<string, string>][] = [
      [['user', 'list'], variables],
      [['user', 'list'], { ...variables, SVC_STORE: url.replace('@', '%zz@') }],
      [['user', 'list'], { ...variables, SVC_STORE: `${url}?${WORD}=${WORD}` }],
      [['user', 'list', '--store', url], variables],
      [['doctor'], variables],
      [['profile', 'add', 'store', '--store', url], variables],
    ]
    for (const [argv, env] of ways) {
      const run = await sandbox.run([...argv, '--debug', '--no-input'], { env })
      expect(run.status, argv.join(' ')).not.toBe(0)
      expect(marksIn(run.stderr + run.stdout), argv.join(' ')).toEqual([])
    }
  })

  it('in stored data do appear in responses, so the search can find them', async () => {
    const info = { ...MARKED_PERSON, gender: 'female', address: MARKED_ADDRESS }
    const set = await sandbox.run(['user', 'set-info', 'ada', '--file', '-', '--json'], { input: JSON.stringify(info) })
    expect(set.status, set.stderr).toBe(0)
    expect(marksIn((await sandbox.run(['user', 'info', 'ada', '--json'])).stdout)).toContain(WORD)
  })
})
