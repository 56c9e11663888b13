/** The schema that editors check query files with: it accepts what the guide shows, and refuses what the service refuses. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { queryFileSchema } from '../../../src/cli/aggregate/query-schema.ts'
import { InProcessSandbox } from '../../kit/in-process.ts'
import { root } from '../../kit/sandbox.ts'

const validate = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false }).compile(queryFileSchema())
const guide = readFileSync(path.join(root, 'docs', 'aggregate.md'), 'utf8')
const examples = [...guide.matchAll(/```json\n(\{[\s\S]*?)```/g)].map(match => JSON.parse(match[1] ?? ''))
const timeframe = { type: 'relative', anchor: '2026-11-20', past: { unit: 'day', value: 7 } }
const batch = (select: object) => ({ timeframe, queries: [{ select: [select] }] })
const STEPS = { func: 'sum', arg: { timeseries: 'steps', field: 'value' } }

/** An example of the guide as a file: a body and a query as they are, and a select item within a body. */
const toQueryFile = (example: object) => ('queries' in example || 'select' in example ? example : batch(example))

describe('the schema of query files', () => {
  it('accepts every query in the guide, also with a $schema', () => {
    const queries = examples.filter(example => !('results' in example))
    expect(queries.length).toBeGreaterThanOrEqual(5)
    for (const example of queries) {
      expect([validate(toQueryFile(example)), validate.errors, example]).toEqual([true, null, example])
      expect(validate({ $schema: './aggregate-query.schema.json', ...toQueryFile(example) })).toBe(true)
    }
  })

  it.each([
    ['an unknown function', batch({ ...STEPS, func: 'avg' })],
    ['an unknown column', batch({ sleep: 'efficency' })],
    ['an unknown resource', batch({ func: 'sum', arg: { timeseries: 'stepz', field: 'value' } })],
    ['an unknown key', { ...batch(STEPS), query: [] }],
    ['a body without a timeframe', { queries: [{ select: [STEPS] }] }],
    ['a query that selects nothing', { select: [] }],
  ])('refuses %s', (_, file) => {
    expect(validate(file)).toBe(false)
  })

  it('is the file that the package ships', () => {
    const shipped = readFileSync(path.join(root, 'docs', 'aggregate-query.schema.json'), 'utf8')
    expect(JSON.parse(shipped)).toEqual(queryFileSchema())
  })
})

describe('a query file that refers to its schema', () => {
  const sandbox = new InProcessSandbox()

  it('is read by aggregate query, explain and watch create', async () => {
    const query = { $schema: './aggregate-query.schema.json', ...batch(STEPS) }
    const grouped = {
      select: [{ group_key: '*' }, STEPS],
      group_by: [{ date_trunc: { unit: 'day', value: 1 }, arg: { index: 'timeseries' } }],
    }
    writeFileSync(path.join(sandbox.folder, 'query.json'), JSON.stringify(query))
    writeFileSync(path.join(sandbox.folder, 'watch.json'), JSON.stringify({ $schema: 'x', ...grouped }))
    await sandbox.run(['user', 'create', 'ada'])
    for (const args of [
      ['aggregate', 'query', 'ada', 'query.json', '--json'],
      ['aggregate', 'explain', 'ada', 'query.json', '--json'],
      ['aggregate', 'watch', 'create', 'steps', 'watch.json', '--json'],
    ]) {
      expect(await sandbox.run(args)).toMatchObject({ status: 0 })
    }
    const { stdout } = await sandbox.run(['aggregate', 'watch', 'show', 'steps', '--json'])
    expect(JSON.parse(stdout).query).toEqual(grouped)
  })
})
