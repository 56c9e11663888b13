/** docs/conformance.md: made of rows that each have tests which are there, and not older than they are. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { chapters } from './items.mjs'

it('has no empty row, names only tests that are there, and is not stale', () => {
  const script = join(import.meta.dirname, '../../scripts/conformance.mjs')
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(0)
})

it('has each item once', () => {
  const ids = chapters.flatMap(({ items }) => items.map(([id]) => id))
  expect(ids.length).toBeGreaterThan(90)
  expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([])
})
