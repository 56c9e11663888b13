/** The migration of a Citus cluster from version 3 of the schema. */
import { describe, expect, it } from 'vitest'
import { parseStoreUrl } from '../../../src/core/store-url.ts'
import { openEngine } from '../../../src/engine/open.ts'
import { POSTGRES_SCHEMA } from '../../../src/store/postgres/migrations.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { hasCitus, startCitus } from '../../kit/postgres/citus.mjs'
import { BACK_TO_VERSION_3 } from './version-3.ts'

describe.skipIf(!hasCitus())('the schema on Citus', { timeout: 120_000 }, () => {
  it('is migrated from version 3, and its new tables are distributed', async () => {
    process.env['SVC_MASTER_KEY'] = '11'.repeat(32)
    atEndOfFile(() => delete process.env['SVC_MASTER_KEY'])
    const cluster = await startCitus({ isDurable: false, settings: { 'citus.shard_count': 4 } })
    atEndOfFile(() => cluster.stop())
    await cluster.createDatabase('old', "TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'")
    const open = async () => {
      const store = parseStoreUrl(cluster.url('old'))
      const engine = await openEngine({ dataDir: temporaryFolder(), store, waitForLock: 'blocking', note: () => {} })
      await engine.close()
    }
    const ask = (sql: string) => cluster.coordinator.sqlIn('old', sql)
    const placedTables = () =>
      ask("SELECT table_name||' '||citus_table_type||' '||distribution_column FROM citus_tables ORDER BY 1")
    await open()
    const placed = JSON.stringify(await placedTables())
    expect(placed).toMatch(
      /console_passkey reference.*import_file distributed user_id.*session_match distributed user_id.*source_order reference/s,
    )
    for (const statement of BACK_TO_VERSION_3) await ask(statement)
    expect(JSON.stringify(await placedTables())).not.toContain('session_match')
    await open()
    // as in a store that was created with the newest version
    expect(JSON.stringify(await placedTables())).toBe(placed)
    expect(JSON.stringify(await ask('SELECT version FROM svc_schema'))).toContain(`${POSTGRES_SCHEMA}`)
  })
})
