/** `npm run demo`, the first command of the README. */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'
import { root, Sandbox } from '../kit/sandbox.ts'

test('the demo completes the main use case without a terminal', () => {
  const sandbox = new Sandbox()
  const env = { ...process.env, SVC_CACHE_DIR: sandbox.env['SVC_CACHE_DIR'] }
  const demo = spawnSync(process.execPath, [path.join(root, 'scripts', 'demo.mjs')], { env, encoding: 'utf8' })
  expect(demo.stderr).not.toContain('failed')
  expect(demo.stdout).toMatch(/week\.parquet, read back:\n\{/)
  expect(demo.stdout).toContain('\nDone in ')
  expect(demo.status).toBe(0)
}, 120_000)
