/** The PostgreSQL adapter for the store's port: one database used by any number of processes. See docs/postgres.md. */
import type { ClientConfig, Pool } from 'pg'
import { type RealTime, systemTime } from '../../core/clock.ts'
import { unsupported } from '../../core/store-features.ts'
import { type StoreUrl, shownStore } from '../../core/store-url.ts'
import type { AuditEntry } from '../audit.ts'
import type { DataFolder } from '../folder/data-folder.ts'
import { joinStore, refuseOtherStore } from '../folder/joined-store.ts'
import { DataStore } from '../imports/data-store.ts'
import type { Database } from '../logic/database.ts'
import { emptyStore } from '../logic/emptying.ts'
import { type Parts, partsOver } from '../logic/parts.ts'
import { auditingDatabase } from '../logic/teams/audit.ts'
import { idempotentDatabase } from '../logic/teams/keyed-responses.ts'
import { readEpoch } from '../logic/teams/settings.ts'
import { isUnfinishedCopy } from '../logic/unfinished-copy.ts'
import type { Store } from '../port.ts'
import type { SnapshotSharing } from '../sharing.ts'
import type { SnapshotStore } from '../snapshot.ts'
import type { Count } from '../team.ts'

import type { WireFigures } from '../upkeep.ts'
import { ChunkScans } from './chunk-scan.ts'
import { clientConfig } from './client-config.ts'
import { DIRECT, DirectPools } from './cluster/direct-pools.ts'
import { Machines } from './cluster/machines.ts'
import { toConnectionError } from './connect-errors.ts'
import { PostgresDatabase } from './database.ts'
import { loadFlights } from './flight.ts'
import { Liveness, PROBE } from './liveness.ts'
import { agreeOnMasterKey } from './master-key-setting.ts'
import { type Migrated, migrate, PATIENT, storeIn } from './migrations.ts'
import { MOST_CONNECTIONS, openPool } from './pool.ts'
import { Sequencer } from './sequencer.ts'
import { unfinishedCopy } from './store-errors.ts'
import { lacksFeature, NO_RECORDINGS, NO_SNAPSHOTS } from './unsupported.ts'
import { PostgresUpkeep, type ServerWatch } from './upkeep.ts'

export interface PostgresOptions {
  /** URL with its password, wherever the password came from. */
  readonly url: StoreUrl
  readonly folder: DataFolder
  /** The master key's fingerprint (master-key-check.ts). */
  readonly masterKeyCheck: string
  /** `async` for a server with many callers, `blocking` for a single command. */
  readonly waitForLock: 'blocking' | 'async'
  readonly time?: RealTime | undefined
  /** Receives what transactions did, after their commit. */
  readonly onCount?: ((count: Count) => void) | undefined
  /** Receives warnings for the person who started the process. */
  readonly note?: ((line: string) => void) | undefined
}

const UNPROTECTED_AUDIT =
  "the store's user may change the audit trail, which no trigger protects on Citus: use one without this permission (docs/citus.md)"

export interface PostgresStore extends Store {
  readonly sharing: SnapshotSharing
  /** Waits until every event that this process has written has its position. */
  positioned(): Promise<void>
}

/** Does not share snapshots, because every read is a separate transaction. */
const NO_SHARING: SnapshotSharing = { shareSnapshot: () => {}, leaveSnapshot: () => {}, isWriting: false }

/**
 * Opens the store in a database. Creates the store if the database is empty. Throws ServiceError `store_unreachable`, `store_unusable`,
 * `data_too_new`, `master_key`, or `data_folder` if the folder belongs to another store.
 */
export async function openPostgresStore(options: PostgresOptions): Promise<PostgresStore> {
  const { url, folder, time = systemTime, waitForLock } = options
  const shown = shownStore(url)
  const realNow = (): number => time.now()
  const config = clientConfig(url)
  const pool = await openPool({ ...config, max: MOST_CONNECTIONS[waitForLock] })
  const errorOf = (error: unknown): unknown => toConnectionError(error, shown)
  const probe = await openPool({ ...config, max: 1, ...PROBE })
  const liveness = new Liveness({ probe, errorOf })
  liveness.include(pool)
  const scans = new ChunkScans(config, scanPool => liveness.include(scanPool))
  let machines: Machines | null = null
  try {
    const { storeId, hasCitus, mayChangeAudit } = await migrated(config, shown, options)
    if (mayChangeAudit && waitForLock === 'async') options.note?.(UNPROTECTED_AUDIT)
    machines = hasCitus ? await machinesOf(config, { storeId, liveness, use: waitForLock }) : null
    const sequencers: Sequencer[] = []
    const db = new PostgresDatabase({
      pool,
      newFlight: await loadFlights(),
      name: `${shown}#${storeId}`,
      realNow,
      errorOf,
      onCount: options.onCount,
      onEvents: written => sequencers[0]?.noted(written),
      scans,
      gone: () => liveness.gone,
      machines,
    })
    await agreeOnMasterKey(db, options.masterKeyCheck)
    if (await db.read(isUnfinishedCopy)) throw unfinishedCopy(shown)
    joinStore(folder, storeId, shown)
    const sequencer = new Sequencer({ pool, realNow, counts: db.counts, sweeps: waitForLock === 'async' })
    sequencers.push(sequencer)
    const close = async (): Promise<void> => {
      await db.settled()
      await sequencer.close()
      await Promise.all([scans.close(), pool.end(), machines?.close()])
      await liveness.close()
    }
    const server: ServerWatch = {
      async look() {
        await liveness.look()
        // not awaited, because a machine that does not respond must not delay this response
        machines?.look().catch(() => {})
      },
      wire: () => wireFigures(db, sequencer, machines?.pools ?? []),
      reachableShare: () => machines?.reachableShare ?? 1,
    }
    const own: OwnParts = {
      close,
      lacks: lacksFeature(hasCitus),
      positionTeam: teamId => sequencer.positionTeam(teamId),
      async copyTo(path, at) {
        if (hasCitus) throw unsupported('snapshot_file')
        const { exportDatabase } = await import('../copy/export.ts')
        await exportDatabase(options, path, at)
      },
    }
    const placed = (entry: AuditEntry): AuditEntry => machines?.placed(entry) ?? entry
    const store = storeOver({ db, server, folder, own, placed })
    return { ...store, sharing: NO_SHARING, positioned: () => sequencer.settle() }
  } catch (error) {
    await Promise.allSettled([pool.end(), machines?.close()])
    throw errorOf(error)
  }
}

interface MachinesOptions {
  readonly storeId: string
  readonly liveness: Liveness
  readonly use: PostgresOptions['waitForLock']
}

/** Returns the machines of the cluster. Only servers learn them at once, because a single command would not save time. */
async function machinesOf(config: ClientConfig, { storeId, liveness, use }: MachinesOptions): Promise<Machines> {
  const direct = new DirectPools(async (host, port) => {
    const pool = await openPool({ ...config, host, port, max: MOST_CONNECTIONS[use], ...DIRECT })
    liveness.include(pool)
    try {
      // seen from here, the address may lead to another cluster
      if ((await storeIn(pool)) !== storeId) throw new Error(`another store is at ${host}:${port}`)
    } catch (error) {
      await pool.end().catch(() => {})
      throw error
    }
    return pool
  })
  const machines = new Machines(() => openPool({ ...config, max: 1, ...PROBE }), direct)
  if (use === 'async') await machines.learn().catch(() => {})
  return machines
}

/** Migrates the database to the newest schema, on separate connections with long timeouts, and returns facts about it. */
async function migrated(config: ClientConfig, shown: string, { folder, note }: PostgresOptions): Promise<Migrated> {
  const pool = await openPool({ ...config, ...PATIENT, max: 1 })
  try {
    refuseOtherStore(folder, { storeId: await storeIn(pool), url: shown })
    return await migrate(pool, shown, note)
  } finally {
    await pool.end().catch(() => {})
  }
}

function wireFigures({ pool, counts }: PostgresDatabase, { lagMs }: Sequencer, more: readonly Pool[]): WireFigures {
  const pools = [pool, ...more]
  const sum = (figure: (each: Pool) => number): number => pools.reduce((total, each) => total + figure(each), 0)
  return {
    connectionsInUse: sum(({ totalCount, idleCount }) => totalCount - idleCount),
    connectionsIdle: sum(({ idleCount }) => idleCount),
    // the driver queues every transaction for a moment, even if a connection is free
    waiting: sum(({ waitingCount, idleCount }) => Math.max(0, waitingCount - idleCount)),
    ...counts,
    eventOrderLagMs: lagMs,
  }
}

/** Parts that do not depend on the call for which the store is used. */
type OwnParts = Pick<Store, 'close' | 'lacks'> & Pick<SnapshotStore, 'copyTo'> & Pick<Sequencer, 'positionTeam'>

/** Arguments of a store's constructor. */
interface Origin {
  readonly server: ServerWatch
  readonly folder: DataFolder
  /** The database that the parts read from and write to. It may be wrapped so that every write does more. */
  readonly db: Database
  readonly own: OwnParts
  /** Chooses the ID of an audit entry, so that its row is on the machine of the change. */
  readonly placed: (entry: AuditEntry) => AuditEntry
}

function storeOver(origin: Origin): Store {
  const { server, folder, db, own, placed } = origin
  const parts = partsOver(db)
  const over = (changed: Pick<Origin, 'db'>): Store => storeOver({ ...origin, ...changed })
  // use assignments for the same reason as in SQLite's store.ts
  return Object.assign(parts, {
    audit: placing(parts.audit, placed),
    deliveries: positioning(parts.deliveries, own),
    data: new DataStore(db, folder.scratch),
    snapshots: {
      ...NO_SNAPSHOTS,
      copyTo: own.copyTo,
      reset: () => db.write(() => emptyStore()),
      epoch: () => db.read(() => readEpoch()),
    },
    recordings: NO_RECORDINGS,
    upkeep: new PostgresUpkeep(db, server),
    lacks: own.lacks,
    close: own.close,
    auditing(entry) {
      // placed once, because a repeated entry must have the same ID
      let entryId: string | undefined
      const placedEntry = (): AuditEntry => {
        const given = entry()
        entryId ??= placed(given).entryId
        return { ...given, entryId }
      }
      const audited = auditingDatabase(db, placedEntry)
      return { store: over(audited), isAudited: audited.isAudited }
    },
    idempotent(call, responseTo) {
      const idempotent = idempotentDatabase(db, call, responseTo)
      return { store: over(idempotent), hasChanged: idempotent.hasChanged }
    },
    // nothing is ever recorded
    recording: () => ({ store: storeOver(origin), entry: () => null }),
  } satisfies Omit<Store, Exclude<keyof Parts, 'audit' | 'deliveries'>>)
}

/** Makes entries that are not written with a change have the same place as those that are. */
function placing(audit: Store['audit'], placed: Origin['placed']): Store['audit'] {
  const { append } = audit
  return Object.assign(audit, { append: (entry: AuditEntry) => append.call(audit, placed(entry)) })
}

/** Makes deliveries resend all acknowledged events, including events that do not have a position yet. */
function positioning(deliveries: Store['deliveries'], positions: Pick<Sequencer, 'positionTeam'>): Store['deliveries'] {
  const { resendSome } = deliveries
  const positioned: typeof resendSome = async (teamId, scope, after, now) => {
    if (after === null) await positions.positionTeam(teamId)
    return resendSome.call(deliveries, teamId, scope, after, now)
  }
  return Object.assign(deliveries, { resendSome: positioned })
}
