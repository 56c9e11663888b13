/** The migration of a Citus cluster from version 3 of the schema. */
import { describe, expect, it } from 'vitest'
import { parseStoreUrl } from '../../../src/core/store-url.ts'
import { openEngine } from '../../../src/engine/open.ts'
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
    await open()
    for (const statement of BACK_TO_VERSION_3) await cluster.coordinator.sqlIn('old', statement)
    await open()
    const rows = await cluster.coordinator.sqlIn(
      'old',
      `SELECT table_name||' '||citus_table_type||' '||distribution_column FROM citus_tables
       WHERE table_name::text IN ('source_order', 'user_source_order', 'session_match') ORDER BY 1`,
    )
    expect(JSON.stringify(rows)).toMatch(
      /session_match distributed user_id.*source_order reference .*user_source_order distributed user_id/s,
    )
    const version = await cluster.coordinator.sqlIn('old', 'SELECT version FROM svc_schema')
    expect(JSON.stringify(version)).toContain('4')
  })
})
