/** docs/conformance.md has tests in every row, the tests exist, and the page is up to date. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { rules } from './rules.mjs'

it('has no empty row, refers only to existing tests, and is up to date', () => {
  const script = join(import.meta.dirname, '../../scripts/conformance.mjs')
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(0)
})

it('numbers each rule once', () => {
  const folder = join(import.meta.dirname, '../../docs/interface')
  const text = readdirSync(folder).map(name => readFileSync(join(folder, name), 'utf8'))
  const ids = text.flatMap(page => [...page.matchAll(/<a id="([^"]+)">/g)].map(match => match[1]))
  expect(ids.length).toBeGreaterThan(130)
  expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([])
  expect(Object.keys(rules).sort()).toEqual([...ids].sort())
})
