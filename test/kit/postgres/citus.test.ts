/** The Citus clusters that tests and `npm run citus` start. */
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { atEndOfFile } from '../end-of-file.ts'
import { temporaryFolder } from '../folder.ts'
import { CitusMissing, findCitus, hasCitus, startCitus } from './citus.mjs'
import { fakePostgres } from './fake-programs.ts'

const ROWS = 1_000

describe('the search for Citus', () => {
  it('says which PostgreSQL lacks the extension, and where to read on', () => {
    const folder = fakePostgres(temporaryFolder(), '16.2')
    const env = { SVC_TEST_POSTGRES_BIN: folder }
    expect(() => findCitus(env)).toThrow(CitusMissing)
    expect(() => findCitus(env)).toThrow(
      `PostgreSQL 16 in ${folder} does not have the Citus extension. See "Get Citus"`,
    )
    expect(hasCitus(env)).toBe(false)
  })

  it('reports a missing PostgreSQL first', () => {
    const env = { SVC_TEST_POSTGRES_BIN: temporaryFolder() }
    expect(() => findCitus(env)).toThrow('apt-get install postgresql')
    expect(hasCitus(env)).toBe(false)
  })
})

describe.skipIf(!hasCitus())('a Citus cluster', () => {
  it('keeps all rows, and accepts others, while a worker is added and removed, with a password for each role', async () => {
    const passwords = { postgres: 'secret', svc: "it's a secret" }
    // a shard that moves misses commits that are not yet in the write-ahead log
    const settings = { 'citus.shard_count': 6, synchronous_commit: 'on' }
    const cluster = await startCitus({ isDurable: false, passwords, settings })
    atEndOfFile(() => cluster.stop())
    await cluster.everywhere("CREATE ROLE svc LOGIN PASSWORD 'it''s a secret'")
    await cluster.createDatabase('kept', 'OWNER svc')
    const sql = (...statements: string[]) => cluster.coordinator.sqlIn('kept', ...statements)
    await sql(
      ...['ALTER SCHEMA public OWNER TO svc', 'SET ROLE svc', 'CREATE TABLE kept (n int PRIMARY KEY)'],
      ...["SELECT create_distributed_table('kept', 'n')", `INSERT INTO kept SELECT generate_series(1, ${ROWS})`],
    )
    const [first, second] = cluster.workers.map(worker => worker.port) as [number, number]
    expect(await cluster.shards('kept')).toEqual({ [first]: 3, [second]: 3 })

    const third = await cluster.addWorker()
    let rows = ROWS
    let isMoving = true
    const writing = (async () => {
      while (isMoving) await sql(`INSERT INTO kept VALUES (${++rows})`)
    })()
    await cluster.rebalance('kept').finally(() => {
      isMoving = false
    })
    await writing
    expect(await cluster.shards('kept')).toEqual({ [first]: 2, [second]: 2, [third.port]: 2 })
    expect((await sql('SELECT count(*) FROM kept')).trim()).toBe(`${rows}`)

    await cluster.removeWorker(third)
    expect(await cluster.shards('kept')).toEqual({ [first]: 3, [second]: 3 })
    expect((await sql('SELECT count(*) FROM kept')).trim()).toBe(`${rows}`)
    expect(third.process.isRunning).toBe(false)

    await cluster.stop()
    expect(existsSync(cluster.group.folder)).toBe(false)
  })
})
