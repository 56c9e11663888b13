/**
 * `npm test`: type check, lint, build, freshness of the manifest and the generated pages, and the tests that are not long. `--long` runs
 * only the long ones (LONG in test/kit/order.ts); `--postgres` only the tests that use a store, over a PostgreSQL server that is started
 * for them, or over the server in SVC_TEST_STORE, which alone has the same effect; `--delayed` only the engine's tests, over a store that
 * delays every response (test/kit/store/delayed-store.ts); `--late` those over PostgreSQL, or those over a delayed store where there is no
 * PostgreSQL; `--citus` only the tests that use a store, over a Citus cluster that is started for them; and `--citus-store` the part of
 * them that tests the store itself. `npm run test:long` runs `--long`, `--late` and `--citus-store`. `--package` makes the packages of a
 * release, tests them, and runs some tests of commands against the single executable. The last line is `N passed, N failed, N skipped`,
 * with each step counted as one test in addition to vitest's own.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { WITH_EXECUTABLE } from '../test/kit/executable-tests.mjs'
import { PostgresMissing } from '../test/kit/postgres/binaries.mjs'
import { startCitus } from '../test/kit/postgres/citus.mjs'
import { startPostgres } from '../test/kit/postgres/server.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const scratch = mkdtempSync(path.join(tmpdir(), 'svc-test-'))
const report = path.join(scratch, 'report.json')

/** The tests that use a store. */
const WITH_STORE = [
  ...['test/engine', 'test/store', 'test/delivery', 'test/server', 'test/canary'],
  // test/e2e/live/all-providers takes minutes, and differs from test/engine/live in the providers, not in the store
  ...['test/connectors/live/contract/contract', 'test/e2e/live/canary'],
]

/** The tests of the store itself, and of what it does for each call. */
const OF_STORE = [
  ...['test/store', 'test/server/postgres', 'test/engine/teams', 'test/engine/events'],
  ...['test/engine/idempotency.test.ts', 'test/engine/quotas.test.ts'],
]

/**
 * Enough for the pools of all harnesses of a test file, in each worker. Vacuuming would only slow down databases that exist for seconds.
 */
const SETTINGS = { max_connections: 1_000, autovacuum: 'off' }

/**
 * In a cluster, every database has a process of its own on each server. Few shards are enough to use both workers, and each one is a copy
 * of all tables.
 */
const CITUS_SETTINGS = {
  ...SETTINGS,
  max_prepared_transactions: 1_000,
  max_worker_processes: 400,
  'citus.shard_count': 4,
  // svc needs no triggers, but some tests disturb its transactions with them
  'citus.enable_unsafe_triggers': 'on',
}

const { SVC_TEST_STORE: givenStore, ...inherited } = process.env
let passed = 0
let failed = 0
let skipped = 0

/** One line for each failure, repeated before the last line, so that the end of a log shows all of them. */
const failures = []

/** Runs one of our programs with this Node; its output is passed through. */
async function run(args, env = {}) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...inherited, ...env } })
  const [status] = await once(child, 'close')
  return status === 0
}

/** The file behind the command of an installed package. */
function installed(name, file) {
  return path.join(root, 'node_modules', name, file)
}

async function step(title, args) {
  console.log(`\n── ${title}`)
  const done = await run(args)
  if (done) passed++
  else {
    failed++
    failures.push(title)
  }
  console.log(`${done ? 'ok' : 'FAILED'}: ${title}`)
  return done
}

/** Projects of vitest.config.mts that `npm test` runs. */
const QUICK = ['--project=alone', '--project=thorough', '--project=fast']

const SUITES = {
  ...{ '--plain': plain, '--long': long, '--delayed': delayed, '--postgres': postgres, '--late': late },
  ...{ '--citus': () => citus(WITH_STORE), '--citus-store': () => citus(OF_STORE), '--package': packages },
}
const asked = process.argv.slice(2)
const unknown = asked.find(each => !(each in SUITES))
if (unknown !== undefined) {
  console.error(`${unknown} is not a suite. Use one or more of ${Object.keys(SUITES).join(', ')}.`)
  process.exit(2)
}
if (asked.length === 0) asked.push(givenStore ? '--postgres' : '--plain')

try {
  for (const [name, suite] of Object.entries(SUITES)) if (asked.includes(name)) await suite()
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
process.exitCode = failed === 0 ? 0 : 1
for (const each of failures) console.log(`FAILED: ${each}`)
console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`)

async function plain() {
  await step('type check', [installed('typescript', 'bin/tsc'), '-p', '.'])
  await step('type check of the console', [installed('typescript', 'bin/tsc'), '-p', 'src/console'])
  await step('lint', [installed('@biomejs/biome', 'bin/biome'), 'check'])
  const isBuilt = await step('build', ['scripts/build.mjs'])
  if (isBuilt) {
    await step('manifest is fresh', ['scripts/manifest.mjs', '--check'])
    await step('generated pages are fresh', ['scripts/docs.mjs', '--check'])
  } else failed += 2
  console.log('\n── tests')
  await vitest(QUICK)
}

async function long() {
  console.log('\n── long tests')
  await vitest(['--project=long'])
}

async function packages() {
  console.log('\n── packages')
  if (!(await step('packages', ['scripts/package/all.mjs']))) return
  await vitest(['--project=package'])
  await vitest([...QUICK, ...WITH_EXECUTABLE], { SVC_TEST_BINARY: 'out/svc' })
}

async function delayed() {
  console.log('\n── tests of the engine and of live connectors over a delayed store')
  const counted = await vitest(['test/engine', 'test/connectors/live/contract'], { SVC_TEST_DELAYED: '1' })
  console.log(`Over a delayed store: ${summary(counted)}`)
}

async function postgres() {
  console.log('\n── tests over PostgreSQL')
  if (givenStore) {
    await overServer('PostgreSQL', WITH_STORE, { SVC_TEST_STORE: givenStore })
    return true
  }
  const what = { name: 'PostgreSQL', start: startPostgres, settings: SETTINGS, only: WITH_STORE }
  return overStarted(what, server => ({ SVC_TEST_STORE: server.url('postgres') }))
}

/** Both test that code waits for its store. */
async function late() {
  if (!(await postgres())) await delayed()
}

async function citus(tests) {
  console.log('\n── tests over a Citus cluster')
  // the three servers use processor time too, and tests have time limits
  const only = [...tests, '--maxWorkers=2', '--maxConcurrency=2']
  await overStarted({ name: 'Citus', start: startCitus, settings: CITUS_SETTINGS, only }, cluster => ({
    SVC_TEST_STORE: cluster.url('postgres'),
    SVC_TEST_CITUS_WORKERS: cluster.workers.map(worker => worker.url('postgres')).join(),
  }))
}

/**
 * Runs the tests over a server that is started for them, or says why there is none; returns whether they ran. `variables` returns the
 * environment for a server.
 */
async function overStarted({ name, start, settings, only }, variables) {
  let server
  try {
    server = await start({ isDurable: false, settings })
  } catch (error) {
    if (!(error instanceof PostgresMissing)) throw error
    console.log(`Not run: ${error.message}`)
    return false
  }
  try {
    await overServer(name, only, variables(server))
  } finally {
    await server.stop()
  }
  return true
}

async function overServer(name, only, env) {
  const counted = await vitest(only, env)
  console.log(`Over ${name}: ${summary(counted)}`)
  for (const [reason, count] of counted.reasons) console.log(`  ${count} skipped over ${name}: ${reason}`)
}

function summary({ tests, failed, skips }) {
  return `${tests} passed, ${failed.length} failed, ${skips} skipped`
}

/** Runs tests and adds up their results. */
async function vitest(only, env) {
  rmSync(report, { force: true })
  const options = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const isGreen = await run([installed('vitest', 'vitest.mjs'), 'run', ...only, ...options], env)
  const found = counts()
  // a test file that does not load, or an error outside any test
  if (!isGreen && found.failed.length === 0)
    found.failed.push(`${only.join(' ')}: an error outside any test, see above`)
  passed += found.tests
  failed += found.failed.length
  skipped += found.skips
  failures.push(...found.failed)
  return found
}

function counts() {
  try {
    const { numPassedTests, numPendingTests, testResults } = JSON.parse(readFileSync(report, 'utf8'))
    const reasons = new Map()
    const failed = []
    for (const { name, status, message, assertionResults } of testResults) {
      const inFile = assertionResults.filter(test => test.status === 'failed')
      for (const { fullName, failureMessages } of inFile)
        failed.push(failure(name, fullName, failureMessages.join('\n')))
      // a file that does not load
      if (status === 'failed' && inFile.length === 0) failed.push(failure(name, 'the file', message))
      for (const { meta } of assertionResults)
        if (meta.whySkipped) reasons.set(meta.whySkipped, (reasons.get(meta.whySkipped) ?? 0) + 1)
    }
    return { tests: numPassedTests, failed, skips: numPendingTests, reasons }
  } catch {
    return { tests: 0, failed: [], skips: 0, reasons: new Map() }
  }
}

/** A line for a failed test: its file, its name, and the first line of its error. */
function failure(file, name, message) {
  return `${path.relative(root, file)}: ${name}: ${message.split('\n')[0]}`
}
