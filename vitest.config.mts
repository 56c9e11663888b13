import { randomInt } from 'node:crypto'
import { defineConfig, type UserWorkspaceConfig } from 'vitest/config'
import { ALONE, LONG, LongFirst, NOT_DELAYED, PACKAGE, THOROUGH } from './test/kit/order.ts'
import { memoryFolder } from './test/kit/postgres/process-group.mjs'
import { WITHOUT_STORE } from './test/kit/postgres/sqlite-only.ts'
import { DEFAULT_SEED } from './test/kit/seed.ts'

// a store syncs its files at every commit, and a test about something else should not wait for a disk
const memory = memoryFolder()
if (memory !== undefined) process.env['TMPDIR'] = memory

// one seed for all workers (test/kit/seed.ts)
if (process.env['SVC_TEST_SEED'] === 'random') process.env['SVC_TEST_SEED'] = `${randomInt(2 ** 31)}`
console.log(`Random cases: SVC_TEST_SEED=${process.env['SVC_TEST_SEED'] ?? DEFAULT_SEED}`)

const isOnPostgres = Boolean(process.env['SVC_TEST_STORE'])
const isDelayed = process.env['SVC_TEST_DELAYED'] === '1'
const left = [...(isDelayed ? NOT_DELAYED : []), ...(isDelayed || isOnPostgres ? WITHOUT_STORE : [])]

const shared = {
  globalSetup: ['test/kit/built.ts', ...(isOnPostgres ? ['test/kit/postgres/template.ts'] : [])],
  ...(isOnPostgres ? { runner: 'test/kit/postgres/skipping-runner.ts' } : {}),
  setupFiles: ['test/setup.ts'],
  // a test may start several processes, and other tests may keep the machine busy
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // as long as `until` (test/kit/until.ts) waits; the default is 1 s
  expect: { poll: { timeout: 60_000, interval: 20 } },
  pool: 'forks',
} satisfies UserWorkspaceConfig['test']

export default defineConfig({
  test: {
    // one more than the processors of CI: some tests wait for a lock, a lease or a time limit
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
    experimental: { fsModuleCache: true, fsModuleCachePath: 'node_modules/.cache/vitest' },
    projects: [
      { test: { ...shared, name: 'alone', include: ALONE, exclude: left } },
      // each file in a process of its own, as it may interrupt or measure
      { test: { ...shared, name: 'long', include: LONG, exclude: left } },
      { test: { ...shared, name: 'package', include: PACKAGE } },
      {
        test: {
          ...shared,
          name: 'thorough',
          include: THOROUGH,
          exclude: [...ALONE, ...LONG, ...left],
          isolate: false,
        },
      },
      {
        test: {
          ...shared,
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [...ALONE, ...LONG, ...PACKAGE, ...THOROUGH, ...left],
          isolate: false,
        },
      },
    ],
  },
})
