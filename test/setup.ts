/** Runs before every test file. */
import { afterAll } from 'vitest'
import { endFile } from './kit/end-of-file.ts'
import './kit/equal-bytes.ts'
import { IS_ON_POSTGRES, TEST_MASTER_KEY } from './kit/postgres/database.ts'

afterAll(endFile)

// nock 15 needs it, and Node 20 does not have it yet.
if (!('withResolvers' in Promise)) {
  Object.defineProperty(Promise, 'withResolvers', {
    configurable: true,
    writable: true,
    value<T>() {
      let resolve!: (value: T | PromiseLike<T>) => void
      let reject!: (reason?: unknown) => void
      const promise = new Promise<T>((yes, no) => {
        resolve = yes
        reject = no
      })
      return { promise, resolve, reject }
    },
  })
}
// The settings of this machine must not affect tests.
for (const name of Object.keys(process.env))
  if (name.startsWith('SVC_') && !name.startsWith('SVC_TEST_')) delete process.env[name]
if (IS_ON_POSTGRES) process.env['SVC_MASTER_KEY'] = TEST_MASTER_KEY
