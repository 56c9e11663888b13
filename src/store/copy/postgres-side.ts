/** Adapts a PostgreSQL store so that it can be the source or target of a copy. No data folder is needed. */
import { systemTime } from '../../core/clock.ts'
import { type StoreUrl, shownStore } from '../../core/store-url.ts'
import { isUnfinishedCopy } from '../logic/unfinished-copy.ts'
import { ChunkScans } from '../postgres/chunk-scan.ts'
import { clientConfig } from '../postgres/client-config.ts'
import { toConnectionError } from '../postgres/connect-errors.ts'
import { PostgresDatabase } from '../postgres/database.ts'
import { loadFlights } from '../postgres/flight.ts'
import { agreeOnMasterKey } from '../postgres/master-key-setting.ts'
import { migrate, storeIn } from '../postgres/migrations.ts'
import { MOST_CONNECTIONS, openPool } from '../postgres/pool.ts'
import { unfinishedCopy, unusable } from '../postgres/store-errors.ts'
import { Transaction } from '../postgres/transaction.ts'
import type { CopySource, CopyTarget } from './side.ts'

export interface DatabaseSide {
  /** URL with its password, wherever the password came from. */
  readonly url: StoreUrl
  /** The master key's fingerprint. */
  readonly masterKeyCheck: string
  /** Receives a line about a migration. */
  readonly note?: ((line: string) => void) | undefined
}

const BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

/** Opens the store for reading. Throws the same ServiceErrors as opening a store. */
export async function openDatabaseSource(side: DatabaseSide): Promise<CopySource> {
  const opened = await openPart(side, { isNewAllowed: false })
  const { db, errorOf, shown, storeId } = opened
  try {
    if (await db.read(isUnfinishedCopy)) throw unfinishedCopy(shown)
    const snapshot = await heldSnapshot(db)
    return {
      shown,
      storeId,
      async read(generator) {
        try {
          return await snapshot.transaction.drive(generator())
        } catch (error) {
          throw errorOf(error)
        }
      },
      async refresh() {
        snapshot.begin()
      },
      write: generator => db.write(generator),
      async close() {
        snapshot.end()
        await opened.close()
      },
    }
  } catch (error) {
    await opened.close()
    throw errorOf(error)
  }
}

/** Opens the store as a target, creating it in an empty database. Throws the same ServiceErrors as opening a store. */
export async function openDatabaseTarget(side: DatabaseSide): Promise<CopyTarget> {
  const { db, errorOf, shown, storeId, close } = await openPart(side, { isNewAllowed: true })
  return {
    shown,
    storeId,
    db,
    async settle() {
      // otherwise, the first statements would be planned for empty tables
      await db.pool.query('ANALYZE').catch((error: unknown) => {
        throw errorOf(error)
      })
    },
    close,
  }
}

async function openPart(
  { url, masterKeyCheck, note }: DatabaseSide,
  { isNewAllowed }: { readonly isNewAllowed: boolean },
) {
  const shown = shownStore(url)
  const errorOf = (error: unknown): unknown => toConnectionError(error, shown)
  // a single transaction lasts as long as the copy, and the last statements read whole tables
  const unlimited = { statement_timeout: 0, idle_in_transaction_session_timeout: 0, query_timeout: 0 }
  const config = clientConfig(url)
  const pool = await openPool({ ...config, ...unlimited, max: MOST_CONNECTIONS.blocking })
  try {
    if (!isNewAllowed && (await storeIn(pool)) === null) {
      throw unusable(shown, {
        why: 'the database does not contain a store',
        suggestions: ['Specify a database that contains a store with --from.'],
      })
    }
    const { storeId } = await migrate(pool, shown, note)
    const db = new PostgresDatabase({
      pool,
      newFlight: await loadFlights(),
      name: `${shown}#${storeId}`,
      realNow: () => systemTime.now(),
      errorOf,
      onEvents: () => {},
      scans: new ChunkScans(config, () => {}),
      gone: () => null,
    })
    await agreeOnMasterKey(db, masterKeyCheck)
    return { shown, storeId, db, errorOf, close: () => closeAll(db) }
  } catch (error) {
    await pool.end().catch(() => {})
    throw errorOf(error)
  }
}

async function closeAll(db: PostgresDatabase): Promise<void> {
  await db.settled()
  await db.pool.end().catch(() => {})
}

/** Opens a read transaction that lasts as long as the copy. */
async function heldSnapshot(db: PostgresDatabase) {
  const newFlight = await loadFlights()
  const client = await db.pool.connect()
  const begun = (): Transaction => {
    const facts = { realNow: 0, storeName: '', eventPositions: 'afterwards', isRemote: true } as const
    const transaction = new Transaction(client, { facts, counts: db.counts, newFlight }, false)
    transaction.send(BEGIN)
    return transaction
  }
  const snapshot = {
    transaction: begun(),
    begin() {
      snapshot.transaction.send('COMMIT')
      // before the next transaction begins on this connection
      snapshot.transaction.leave()
      snapshot.transaction = begun()
    },
    // nothing was written, so just close the handle
    end: () => client.release(true),
  }
  return snapshot
}
