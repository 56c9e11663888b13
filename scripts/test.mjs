/**
 * Everything that CI runs, in order: type check, lint, build, freshness of the manifest and the generated pages, and the tests.
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
function run(args) {
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status === 0
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

try {
  step('type check', [installed('typescript', 'bin/tsc'), '-p', '.'])
  step('lint', [installed('@biomejs/biome', 'bin/biome'), 'check'])
  const isBuilt = step('build', ['scripts/build.mjs'])
  if (isBuilt) {
    step('manifest is fresh', ['scripts/manifest.mjs', '--check'])
    step('generated pages are fresh', ['scripts/docs.mjs', '--check'])
    step('third-party notices are fresh', ['scripts/notices.mjs', '--check'])
  } else failed += 3
  console.log('\n── tests')
  const isGreen = run([
    installed('vitest', 'vitest.mjs'),
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ])
  const { tests, failures, skips } = counts()
  skipped = skips
  passed += tests
  failed += failures
  // a test file that does not load, or an error outside any test
  if (!isGreen && failures === 0) failed++
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
process.exitCode = failed === 0 ? 0 : 1
console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`)

function counts() {
  try {
    const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8'))
    return { tests: numPassedTests, failures: numFailedTests, skips: numPendingTests }
  } catch {
    return { tests: 0, failures: 0, skips: 0 }
  }
}
