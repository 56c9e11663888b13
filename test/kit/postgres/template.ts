/** Creates, once for each run over PostgreSQL, the template of every test database, because copying is faster than creating the tables. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseStoreUrl } from '../../../src/core/store-url.ts'
import { openEngine } from '../../../src/engine/open.ts'
import { TEST_MASTER_KEY } from './database.ts'
import { closeTemplate, createDatabase, databaseUrl, dropDatabases, listDatabases, TEST_STORE } from './maintenance.ts'
import { supplyDatabases } from './supply.ts'

/** Every project of a run calls this. Only the first creates the template, and at the end removes databases left by killed processes. */
export default async function createTemplate(): Promise<(() => Promise<void>) | undefined> {
  if (TEST_STORE === undefined || process.env['SVC_TEST_TEMPLATE']) return undefined
  const name = `svc_template_${randomBytes(4).toString('hex')}`
  process.env['SVC_TEST_TEMPLATE'] = name
  process.env['SVC_MASTER_KEY'] = TEST_MASTER_KEY
  createDatabase(name)
  const dataDir = mkdtempSync(path.join(tmpdir(), 'svc-template-'))
  try {
    const engine = await openEngine({ dataDir, waitForLock: 'async', store: parseStoreUrl(databaseUrl(name)) })
    await engine.close()
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
  closeTemplate(name)
  const stop = await supplyDatabases(name)
  return async () => {
    await stop()
    await dropDatabases(listDatabases(name))
  }
}
