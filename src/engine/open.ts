/**
 * Opens an engine on a data folder or a PostgreSQL store. An engine consists of the store, the clock, the random source and the local team.
 */

import { loadProviders } from '../catalogue/own-providers.ts'
import type { RealTime } from '../core/clock.ts'
import { systemTime } from '../core/clock.ts'
import type { TeamId } from '../core/ids.ts'
import { looseModes } from '../core/private-file.ts'
import { type RandomSource, randomUuid, systemRandom } from '../core/random.ts'
import { parseStoreUrl, type StoreUrl } from '../core/store-url.ts'
import { type DataFolder, keyPath, openDataFolder, runningConsole, runningServer } from '../store/folder/data-folder.ts'
import { refuseSqliteFolder } from '../store/folder/joined-store.ts'
import { masterKey, sharedMasterKey } from '../store/folder/master-key.ts'
import type { Store } from '../store/port.ts'
import type { SnapshotSharing } from '../store/sharing.ts'
import { openScratchStore, openSqliteStore } from '../store/sqlite/store.ts'
import type { Count, TeamRecord } from '../store/team.ts'
import type { EngineContext } from './context.ts'
import { Counters } from './counters.ts'
import { engineNow } from './engine.ts'
import { wholeStore } from './readings/whole-numbers.ts'

export const DEFAULT_PAGE_SIZE = 5_000
const DEFAULT_SEED = 'svc'

export interface OpenOptions {
  /** The data folder. With a PostgreSQL store, it contains scratch files and the file that identifies the store. */
  readonly dataDir: string
  /**
   * The PostgreSQL store, with or without its password. Null means the SQLite store in the data folder. Defaults to the value of SVC_STORE.
   */
  readonly store?: StoreUrl | null | undefined
  /** Overrides the base URL of links. If null, the URL of the folder's running `svc serve` is used, if there is one. */
  readonly publicUrl?: string | null
  /** Retries asynchronously, so that a server does not block its event loop while another process holds the lock. See docs/storage.md. */
  readonly waitForLock: 'blocking' | 'async'
  /** Returns the URL of this server's console. If absent, the console of the folder's running `svc serve` is used, if there is one. */
  readonly consoleUrl?: () => string | null
  readonly time?: RealTime
  readonly random?: RandomSource
  readonly seed?: string
  /** Path of the file that lists the team's own providers. Defaults to the value of SVC_PROVIDERS. */
  readonly providers?: string | undefined
  readonly pageSize?: number
  readonly apart?: EngineContext['apart']
  readonly mapping?: EngineContext['mapping']
  readonly observe?: EngineContext['observe']
  /** Receives counts. A thread passes them to its server. If absent, the engine adds them to the store. */
  readonly count?: EngineContext['count']
  /** The snapshot that replaces a lost database. If absent, a folder that has lost its database is refused. */
  readonly restoring?: string | undefined
  /** Receives warnings and progress lines for the person who started the process. */
  readonly note?: ((line: string) => void) | undefined
  /** Defaults to the value of SVC_ALLOW_PRIVATE_TARGETS. */
  readonly allowPrivateTargets?: boolean | undefined
  /** Defaults to `any` if SVC_ALLOW_LOOPBACK_TARGETS is set, and to `operator` otherwise. */
  readonly loopbackTargets?: EngineContext['loopbackTargets'] | undefined
}

export interface OpenEngine {
  readonly context: EngineContext
  readonly folder: DataFolder
  readonly sharing: SnapshotSharing
  /** Returns the local profile's team, which is created on first use. */
  localTeam(): Promise<TeamRecord>
  close(): Promise<void>
}

/**
 * Opens an engine. Throws ServiceError `data_folder`, `data_too_new`, `data_damaged` or `store_lost` if the folder cannot be used,
 * `master_key`, `store_unusable` or `store_unreachable` if the PostgreSQL store cannot be used, and `usage` if the providers or the store
 * URL are invalid.
 */
export async function openEngine(options: OpenOptions): Promise<OpenEngine> {
  const providers = loadProviders(options.providers ?? process.env['SVC_PROVIDERS'])
  const url = chosenStore(options.store)
  const folder = openDataFolder(options.dataDir)
  const counters = new Counters()
  const count = options.count ?? counters.add
  const { store, masterKey } = url ? await openShared(url, folder, options, count) : openOwn(folder, options, count)
  const context: EngineContext = {
    store: wholeStore(store),
    providers,
    scratchStore: (path, time) => wholeStore(openScratchStore(path, folder, time)),
    time: options.time ?? systemTime,
    wall: options.time ?? systemTime,
    random: options.random ?? systemRandom,
    seed: options.seed ?? process.env['SVC_SEED'] ?? DEFAULT_SEED,
    publicUrl: () => options.publicUrl ?? runningServer(folder),
    consoleUrl: options.consoleUrl ?? (() => runningConsole(folder)),
    masterKey,
    scratchDir: folder.scratch,
    pageSize: options.pageSize ?? DEFAULT_PAGE_SIZE,
    allowPrivateTargets: options.allowPrivateTargets ?? isSet(process.env['SVC_ALLOW_PRIVATE_TARGETS']),
    loopbackTargets: options.loopbackTargets ?? (isSet(process.env['SVC_ALLOW_LOOPBACK_TARGETS']) ? 'any' : 'operator'),
    apart: options.apart,
    mapping: options.mapping,
    observe: options.observe,
    count,
  }
  const now = (): number => context.wall.now()
  if (options.waitForLock === 'async') counters.start(store, now)
  return {
    context,
    folder,
    sharing: store.sharing,
    async localTeam() {
      return store.teams.local(async () => ({
        teamId: randomUuid(context.random) as TeamId,
        name: 'local',
        createdOn: await engineNow(context),
      }))
    },
    async close() {
      counters.stop()
      await counters.flush(store, now())
      await store.close()
    },
  }
}

/** A store, and the key that seals its secrets. */
interface OpenStore {
  readonly store: Store & Pick<OpenEngine, 'sharing'>
  readonly masterKey: EngineContext['masterKey']
}

/** Opens the SQLite store in the folder. Creates its key on first use. */
function openOwn(
  folder: DataFolder,
  { waitForLock, time, restoring, note }: OpenOptions,
  onCount: (count: Count) => void,
): OpenStore {
  const store = openSqliteStore({ folder, waitForLock, time, restoring, note, onCount })
  for (const warning of looseModes([folder.database, keyPath(folder)])) note?.(warning)
  let key: Uint8Array | undefined
  return {
    store,
    masterKey: () => {
      key ??= masterKey(folder, process.env['SVC_MASTER_KEY'])
      return key
    },
  }
}

/** Opens a store that is shared with other nodes. Checks that do not need a connection are done first. */
async function openShared(
  given: StoreUrl,
  folder: DataFolder,
  { waitForLock, time, note }: OpenOptions,
  onCount: (count: Count) => void,
): Promise<OpenStore> {
  refuseSqliteFolder(folder)
  const key = sharedMasterKey(process.env['SVC_MASTER_KEY'])
  // needed only for a PostgreSQL store
  const { masterKeyCheck } = await import('../store/postgres/master-key-check.ts')
  const { withPassword } = await import('../store/postgres/password.ts')
  const { openPostgresStore } = await import('../store/postgres/store.ts')
  const url = await withPassword(given, note)
  const store = await openPostgresStore({
    url,
    folder,
    masterKeyCheck: masterKeyCheck(key),
    waitForLock,
    time,
    note,
    onCount,
  })
  return { store, masterKey: () => key }
}

/** Returns the given store, or otherwise the store in SVC_STORE. Throws ServiceError `usage`. */
export function chosenStore(given: OpenOptions['store']): StoreUrl | null {
  if (given !== undefined) return given
  const text = process.env['SVC_STORE']
  return text ? parseStoreUrl(text) : null
}

/** Returns whether an environment variable is switched on: `1`, `t`, `true`, `y` or `yes`, in any case. */
function isSet(variable: string | undefined): boolean {
  return /^(?:1|t|true|y|yes)$/i.test(variable ?? '')
}
