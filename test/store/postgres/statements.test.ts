/** Every statement of the store's logic, and of the adapter, is one that PostgreSQL understands. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ChangeCounts } from '../../../src/store/logic/rows/counted-bytes.ts'
import type * as StepsModule from '../../../src/store/logic/steps.ts'
import type { SqlText } from '../../../src/store/logic/steps.ts'
import { POSTGRES } from '../../../src/store/postgres/dialect.ts'
import { NEW_DATABASE } from '../../../src/store/postgres/schema/tables.ts'
import { preparedText } from '../../../src/store/postgres/statement-texts.ts'
import { root } from '../../kit/sandbox.ts'

const defined = vi.hoisted((): SqlText[] => [])

vi.mock('../../../src/store/logic/steps.ts', async original => {
  const steps = await original<typeof StepsModule>()
  const listed =
    <T>(define: (text: SqlText) => T) =>
    (text: SqlText): T => {
      defined.push(text)
      return define(text)
    }
  return { ...steps, query: listed(steps.query), command: listed(steps.command) }
})

const SERVER = process.env['SVC_TEST_STORE']

describe.skipIf(SERVER === undefined)('the statements on PostgreSQL', () => {
  const client = new pg.Client({ connectionString: SERVER })

  beforeAll(async () => {
    await client.connect()
    await client.query('BEGIN; CREATE SCHEMA statements; SET LOCAL search_path=statements')
    await client.query(NEW_DATABASE)
    for (const name of readdirSync(join(root, 'src/store/logic'), { recursive: true, encoding: 'utf8' }))
      if (name.endsWith('.ts')) await import(join(root, 'src/store/logic', name))
  })

  afterAll(async () => {
    await client.query('ROLLBACK')
    await client.end()
  })

  it('are all valid', async () => {
    const refused: string[] = []
    const counts = new ChangeCounts(POSTGRES)
    const counted = defined.flatMap(each => counts.of(each)?.text ?? [])
    expect(counted.length).toBeGreaterThan(25)
    for (const each of new Set([...defined, ...counted])) {
      const { name, text } = preparedText(each)
      await client.query('SAVEPOINT before')
      try {
        await client.query(`PREPARE ${name} AS ${text}`)
      } catch (error) {
        refused.push(`${(error as Error).message}: ${text.replaceAll(/\s+/g, ' ')}`)
        await client.query('ROLLBACK TO before')
      }
    }
    expect(defined.length).toBeGreaterThan(350)
    expect(refused).toEqual([])
  })
})
