/** The part of the PostgreSQL adapter that looks after the store as a whole. */

import { checkStore } from '../logic/check/check.ts'
import { KeyedRows } from '../logic/check/keyed-rows.ts'
import type { Database } from '../logic/database.ts'
import { settleStoreJob, storeJobRequest } from '../logic/jobs.ts'
import { Part } from '../logic/part.ts'
import { statistics } from '../logic/statistics.ts'
import { command, one, query, run, type Steps } from '../logic/steps.ts'
import type { CheckProgress, UpkeepStore } from '../upkeep.ts'
import { POSTGRES_SCHEMA } from './migrations.ts'
import { unsupported } from './store-errors.ts'

/** Pages and indexes are the server's to check, by checksums of its own or pg_amcheck. */
async function* noProblems(): AsyncGenerator<never> {}

const ANY_SETTING = query('SELECT 1 FROM setting LIMIT 1')
const TOUCH = command('UPDATE store_lock SET id=id WHERE id=1')

export class PostgresUpkeep extends Part implements UpkeepStore {
  constructor(db: Database) {
    super(db)
  }

  async ping() {
    await this.db.read(() => one(ANY_SETTING))
  }

  /** The server looks after its disk, and refuses a write for which there is no room. */
  async checkRoom() {
    await this.db.write(() => run(TOUCH))
  }

  /** Removed rows are the server's to clean up: its autovacuum frees them, and its backups keep them as long as they are kept. */
  async scrub() {
    await this.db.writeAside(() => forgetScrubs())
    return 'clean' as const
  }

  async statistics() {
    return { ...(await statistics(this.db)), ...this.fileSizes(), schemaVersion: POSTGRES_SCHEMA }
  }

  fileSizes() {
    return { fileBytes: null, walBytes: null }
  }

  check(onProgress?: (progress: CheckProgress) => void) {
    return checkStore(this.db, { database: noProblems(), rows: new KeyedRows(this.db) }, onProgress)
  }

  rewriteUnchecked(): never {
    throw unsupported(
      'Rewriting rows without checksums',
      'A PostgreSQL store never has any: run svc engine check without --rewrite.',
    )
  }
}

function* forgetScrubs(): Steps<void> {
  for (const kind of ['scrub', 'truncate'] as const) {
    const request = yield* storeJobRequest(kind)
    if (request !== null) yield* settleStoreJob(kind, request)
  }
}
