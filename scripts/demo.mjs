/**
 * Demonstrates the main tasks on the embedded engine, in a separate data folder: each command is shown as a user would type it and then
 * run. Stops, with exit code 1, at the first step that fails.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parquetReadObjects } from 'hyparquet'
import { buildBundle, isStale } from './build.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const svc = path.join(root, 'bin', 'run.js')
const SHOWN_LINES = 14
const DAY_MS = 86_400_000

const scratch = mkdtempSync(path.join(tmpdir(), 'svc-demo-'))
const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')))
const env = {
  ...inherited,
  SVC_DATA_DIR: path.join(scratch, 'data'),
  SVC_CONFIG_DIR: path.join(scratch, 'config'),
  ...(process.env.SVC_CACHE_DIR ? { SVC_CACHE_DIR: process.env.SVC_CACHE_DIR } : {}),
}

class StepFailed extends Error {}

function say(text) {
  console.log(`\n# ${text}`)
}

/** @param {string[]} args the words after `svc`; @param {{input?: string, typed?: string}} how `typed` is the line as a user types it */
function run(args, { input, typed } = {}) {
  console.log(`$ ${typed ?? `svc ${args.map(quoted).join(' ')}`}`)
  const result = spawnSync(process.execPath, [svc, ...args], {
    cwd: scratch,
    env,
    input: input ?? '',
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  show(result.stdout)
  process.stdout.write(result.stderr)
  if (result.status !== 0) throw new StepFailed(`svc ${args[0]} ${args[1]} ended with ${result.status}`)
  return result.stdout
}

function show(text) {
  const lines = text.split('\n').filter(line => line !== '')
  for (const line of lines.slice(0, SHOWN_LINES)) console.log(line)
  if (lines.length > SHOWN_LINES) console.log(`… ${lines.length - SHOWN_LINES} lines more`)
}

function quoted(word) {
  return /^[\w./:@=-]+$/.test(word) ? word : `'${word}'`
}

/** Fails the demo when a command succeeds without its expected result. */
function expect(condition, what) {
  if (!condition) throw new StepFailed(what)
}

async function demo() {
  const table = ['--output', 'table']
  const day = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10)

  say('A user, under your own reference')
  run(['user', 'create', 'ada', '--fallback-time-zone', 'Europe/Berlin', ...table])

  say('The providers that sign in with a password')
  run(['provider', 'list', '--auth-type', 'password', ...table])

  say('Link one: it sends a code by SMS, and waits for it')
  const password = 'correct horse'
  const pending = run(
    ['link', 'password', 'whoop', '--user', 'ada', '--username', 'mfa-sms@sandbox.test', '--password-stdin', ...table],
    {
      input: password,
      typed: `printf %s "$PASSWORD" | svc link password whoop --user ada --username mfa-sms@sandbox.test --password-stdin --output table`,
    },
  )
  expect(pending.includes('pending_provider_mfa'), 'the provider did not ask for a code')
  const linked = run(['link', 'complete-mfa', 'whoop', '--user', 'ada', '--mfa-code', '123456', ...table])
  expect(linked.includes('success'), 'the link did not succeed')
  run(['provider', 'list', '--user', 'ada', ...table])

  say('A page of its samples')
  const samples = run(['timeseries', 'get', 'ada', 'heartrate', '--start', day, '--end', day, ...table])
  expect(samples.includes('whoop'), 'there are no samples')

  say('An aggregate query as a table, as CSV, and as Parquet')
  const query = [
    'aggregate',
    'query',
    'ada',
    '--select',
    'sum(steps)',
    '--select',
    'mean(heartrate)',
    '--group-by',
    '1d',
    '--past',
    '1w',
  ]
  run([...query, ...table])
  const sleep = ['aggregate', 'query', 'ada', '--select', 'mean(sleep.efficiency)', '--group-by', '1w', '--past', '4w']
  const csv = run([...sleep, '--output', 'csv'])
  expect(csv.split('\n').length > 2, 'the CSV has no rows')
  run([...query, '-o', 'week.parquet'])
  console.log('\nweek.parquet, read back:')
  const rows = await readBack(path.join(scratch, 'week.parquet'))
  expect(rows.length > 0, 'the Parquet file has no rows')
  for (const row of rows.slice(0, 3)) console.log(row)

  say('Laboratories, and what they measure')
  run(['labs', 'list', ...table])
  run(['labs', 'markers', '--name', 'glucose', ...table])
}

async function readBack(file) {
  const bytes = readFileSync(file)
  return parquetReadObjects({ file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) })
}

const start = Date.now()
try {
  if (isStale()) await buildBundle()
  await demo()
  console.log(
    `\nDone in ${((Date.now() - start) / 1000).toFixed(1)} s. The same commands work on your own data: svc --help`,
  )
} catch (error) {
  if (!(error instanceof StepFailed)) throw error
  console.error(`\nThe demo failed: ${error.message}.`)
  process.exitCode = 1
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
