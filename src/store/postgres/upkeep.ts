/** Implements the part of the PostgreSQL store that maintains the whole store. */
import { unsupported } from '../../core/store-features.ts'
import { checkStore } from '../logic/check/check.ts'
import { KeyedRows } from '../logic/check/keyed-rows.ts'
import type { Database } from '../logic/database.ts'
import { settleStoreJob, storeJobRequest } from '../logic/jobs.ts'

import { statistics } from '../logic/statistics.ts'
import { command, run, type Steps } from '../logic/steps.ts'
import type { CheckProgress, UpkeepStore, WireFigures } from '../upkeep.ts'
import { POSTGRES_SCHEMA } from './migrations.ts'
import { serverFacts } from './server-facts.ts'

/** Yields no problems, because pages and indexes are checked by the server's own checksums or by pg_amcheck. */
async function* noProblems(): AsyncGenerator<never> {}

const TOUCH = command('UPDATE store_lock SET id=id WHERE id=1')

/** Defines how the store watches its server. */
export interface ServerWatch {
  /** Throws ServiceError `store_unreachable`. */
  look(): Promise<void>
  wire(): WireFigures
  reachableShare(): number
}

export class PostgresUpkeep implements UpkeepStore {
  private readonly db: Database
  private readonly server: ServerWatch

  constructor(db: Database, server: ServerWatch) {
    this.db = db
    this.server = server
  }

  ping() {
    return this.server.look()
  }

  /** Does nothing, because the server manages its disk and refuses a write for which there is no space. */
  async checkRoom() {
    await this.db.write(() => run(TOUCH))
  }

  /** Does nothing, because the server's autovacuum frees removed rows, and its backups contain them until they expire. */
  async scrub() {
    await this.db.writeAside(() => forgetScrubs())
    return 'clean' as const
  }

  async statistics() {
    const server = await this.db.read(() => serverFacts())
    return { ...(await statistics(this.db)), files: null, server, schemaVersion: POSTGRES_SCHEMA }
  }

  fileSizes() {
    return null
  }

  wire() {
    return this.server.wire()
  }

  reachableShare() {
    return this.server.reachableShare()
  }

  check(onProgress?: (progress: CheckProgress) => void) {
    return checkStore(this.db, { database: noProblems(), rows: new KeyedRows(this.db) }, onProgress)
  }

  rewriteUnchecked(): never {
    throw unsupported('checksum_rewrite')
  }
}

function* forgetScrubs(): Steps<void> {
  for (const kind of ['scrub', 'truncate'] as const) {
    const request = yield* storeJobRequest(kind)
    if (request !== null) yield* settleStoreJob(kind, request)
  }
}
