/** The audit trail on a Citus cluster, where no trigger protects it. */
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { parseStoreUrl } from '../../../src/core/store-url.ts'
import { openEngine } from '../../../src/engine/open.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { hasCitus, startCitus } from '../../kit/postgres/citus.mjs'

const GRANTS = [
  'CREATE ROLE service LOGIN',
  'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO service',
  'REVOKE UPDATE, DELETE, TRUNCATE ON audit FROM service',
]
const ENTRY = { at: 1, entryId: 'entry', actor: 'local', operation: 'user.create', object: {}, outcome: 'ok' }

describe.skipIf(!hasCitus())('the audit trail on Citus', { timeout: 120_000 }, () => {
  it('cannot be changed by a user without the right, and a server says if its user has it', async () => {
    process.env['SVC_MASTER_KEY'] = '11'.repeat(32)
    atEndOfFile(() => delete process.env['SVC_MASTER_KEY'])
    const cluster = await startCitus({ isDurable: false, settings: { 'citus.shard_count': 4 } })
    atEndOfFile(() => cluster.stop())
    await cluster.createDatabase('kept', "TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'")
    const owner = cluster.url('kept')
    const noted = async (url: string, wait: 'async' | 'blocking') => {
      const notes: string[] = []
      const note = (line: string): void => {
        notes.push(line)
      }
      const store = parseStoreUrl(url)
      const engine = await openEngine({ dataDir: temporaryFolder(), store, waitForLock: wait, note })
      const { teamId } = await engine.localTeam()
      await engine.context.store.audit.append({ ...ENTRY, teamId, entryId: `${notes.length} ${wait} ${url}` })
      await engine.close()
      return notes
    }
    expect(await noted(owner, 'async')).toEqual([expect.stringContaining('may change the audit trail')])
    expect(await noted(owner, 'blocking')).toEqual([])
    for (const statement of GRANTS) await cluster.coordinator.sqlIn('kept', statement)
    const service = owner.replace('postgres@', 'service@')
    expect(await noted(service, 'async')).toEqual([])
    const client = new pg.Client({ connectionString: service })
    await client.connect()
    for (const change of ['UPDATE audit SET actor=$$x$$', 'DELETE FROM audit', 'TRUNCATE audit'])
      await expect(client.query(change)).rejects.toThrow('permission denied for table audit')
    const { rows } = await client.query('SELECT count(*)::int AS n FROM audit')
    expect(rows).toEqual([{ n: 3 }])
    await client.end()
  })
})
