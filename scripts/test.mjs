/**
 * What CI runs, in order: type check, lint, build, freshness of the manifest and the generated pages, and the tests. With
 * `--delayed`, only the engine's tests, over a store that delays every answer (test/kit/delayed-store.ts); with `--plain --delayed`, both.
 * The last line is `N passed, N failed, N skipped`, each step counted as one test beside vitest's own.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const scratch = mkdtempSync(path.join(tmpdir(), 'svc-test-'))
const report = path.join(scratch, 'report.json')

let passed = 0
let failed = 0
let skipped = 0

/** Runs a program of ours with this Node; its output goes straight through. */
function run(args, env = {}) {
  return (
    spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } }).status === 0
  )
}

/** The file that an installed package's command stands for. */
function installed(name, file) {
  return path.join(root, 'node_modules', name, file)
}

function step(title, args) {
  console.log(`\n── ${title}`)
  const done = run(args)
  if (done) passed++
  else failed++
  console.log(`${done ? 'ok' : 'FAILED'}: ${title}`)
  return done
}

const SUITES = { '--plain': plain, '--delayed': delayed }
const asked = process.argv.slice(2)
const unknown = asked.find(each => !(each in SUITES))
if (unknown !== undefined) {
  console.error(`${unknown} is not a suite. Use ${Object.keys(SUITES).join(' or ')}, or both.`)
  process.exit(2)
}

try {
  for (const [name, suite] of Object.entries(SUITES)) {
    if (asked.length === 0 ? name === '--plain' : asked.includes(name)) suite()
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
process.exitCode = failed === 0 ? 0 : 1
console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`)

function plain() {
  step('type check', [installed('typescript', 'bin/tsc'), '-p', '.'])
  step('lint', [installed('@biomejs/biome', 'bin/biome'), 'check'])
  const isBuilt = step('build', ['scripts/build.mjs'])
  if (isBuilt) {
    step('manifest is fresh', ['scripts/manifest.mjs', '--check'])
    step('generated pages are fresh', ['scripts/docs.mjs', '--check'])
    step('third-party notices are fresh', ['scripts/notices.mjs', '--check'])
  } else failed += 3
  console.log('\n── tests')
  vitest([])
}

function delayed() {
  const seed = process.env.SVC_DELAY_SEED ?? String(Date.now() % 2 ** 31)
  console.log(`\n── tests of the engine over a delayed store (SVC_DELAY_SEED=${seed})`)
  const { tests, failures, skips } = vitest(['test/engine'], { SVC_TEST_DELAYED: '1', SVC_DELAY_SEED: seed })
  console.log(`Over a delayed store (SVC_DELAY_SEED=${seed}): ${tests} passed, ${failures} failed, ${skips} skipped`)
}

/** Runs tests and adds up how they ended. */
function vitest(only, env) {
  rmSync(report, { force: true })
  const options = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const isGreen = run([installed('vitest', 'vitest.mjs'), 'run', ...only, ...options], env)
  const found = counts()
  // a test file that does not load, or an error outside any test
  const failures = found.failures || (isGreen ? 0 : 1)
  passed += found.tests
  failed += failures
  skipped += found.skips
  return { ...found, failures }
}

function counts() {
  try {
    const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8'))
    return { tests: numPassedTests, failures: numFailedTests, skips: numPendingTests }
  } catch {
    return { tests: 0, failures: 0, skips: 0 }
  }
}
