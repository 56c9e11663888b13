import { statfsSync } from 'node:fs'
import { defineConfig, type UserWorkspaceConfig } from 'vitest/config'
import { ALONE, LongFirst, NOT_DELAYED, THOROUGH } from './test/kit/order.ts'

useMemory()

const left = process.env['SVC_TEST_DELAYED'] === '1' ? NOT_DELAYED : []

const shared = {
  globalSetup: ['test/kit/built.ts'],
  setupFiles: ['test/setup.ts'],
  // a test may start several processes, and other tests may keep the machine busy
  testTimeout: 120_000,
  hookTimeout: 120_000,
  pool: 'forks',
} satisfies UserWorkspaceConfig['test']

export default defineConfig({
  test: {
    // one more than the processors of CI: some tests wait for a lock, a lease or a time limit
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
    projects: [
      { test: { ...shared, name: 'alone', include: ALONE, exclude: left } },
      {
        test: {
          ...shared,
          name: 'thorough',
          include: THOROUGH,
          exclude: [...ALONE, ...left],
          isolate: false,
        },
      },
      {
        test: {
          ...shared,
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [...ALONE, ...THOROUGH, ...left],
          isolate: false,
        },
      },
    ],
  },
})

/**
 * Puts temporary folders into memory where it has room: a store syncs its files at every commit, and a test about something else should not
 * wait for a disk. TMPDIR says otherwise.
 */
function useMemory(): void {
  if (process.platform !== 'linux' || process.env['TMPDIR']) return
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    if (bavail * bsize > 4 * 2 ** 30) process.env['TMPDIR'] = '/dev/shm'
  } catch {
    // then the usual folder
  }
}
