/** Creates a new data folder with all intact data from a damaged one. The damaged folder is not changed. */
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { clockAt } from '../../../core/clock.ts'
import { ServiceError } from '../../../core/errors.ts'
import { makeFolder, renameSynced, syncFile } from '../../../core/synced-file.ts'
import { dataFolderError, runningServer, scratchFolder, scratchName } from '../../folder/data-folder.ts'
import { readClock } from '../../logic/teams/settings.ts'
import type { StoreProblem } from '../../upkeep.ts'
import { checkDatabase } from '../check/check.ts'
import { SqliteDatabase } from '../database.ts'
import { toServiceError } from '../service-error.ts'
import { copyRows } from './copy.ts'
import { findLayout } from './layout.ts'
import { Losses, type RowLoss, type TableReport } from './losses.ts'
import { PageFile } from './page-file.ts'
import { repair } from './repair.ts'

export interface SalvageOptions {
  /** The damaged data folder. */
  readonly from: string
  /** The new folder, which must be empty or must not exist yet. */
  readonly to: string
  /** Real time. */
  readonly now: number
  readonly onPages: (done: number, total: number) => void
  readonly onPhase: (phase: 'repairing' | 'checking') => void
  readonly signal: AbortSignal | undefined
}

export interface SalvageReport {
  /** Absolute path of the new folder. */
  readonly to: string
  readonly tables: readonly TableReport[]
  /** The first thousand positions at which rows were lost. */
  readonly losses: readonly RowLoss[]
  /** Total number of rows that were not copied. */
  readonly leftOut: number
  /** Number of table pages that could not be read. */
  readonly unreadablePages: number
  readonly isSchemaDamaged: boolean
  readonly isLogCut: boolean
  readonly hasKey: boolean
  /** Number of rebuilt rows, by kind. */
  readonly rebuilt: ReadonlyMap<string, number>
  /** Problems found when the new folder was checked. Should be empty. */
  readonly problems: readonly StoreProblem[]
}

const MASTER_KEY = 'master.key'
const DATABASE = 'svc.db'

/**
 * Salvages a folder. Throws ServiceError `usage` if one of the folders cannot be used, `data_folder`, `disk_full` or `cancelled`. After an
 * error, the new folder does not exist or is as empty as before.
 */
export async function salvage(options: SalvageOptions): Promise<SalvageReport> {
  const from = resolve(options.from)
  const to = resolve(options.to)
  const database = join(from, DATABASE)
  if (!existsSync(database)) {
    throw new ServiceError('data_folder', `There is no database ${database}, so there is nothing to salvage.`, {
      suggestions: ['Specify the damaged folder with --data-dir.'],
    })
  }
  const isNew = makeTarget(from, to)
  const draft = join(scratchFolder(to), scratchName('copy'))
  try {
    mkdirSync(scratchFolder(to), { mode: 0o700 })
    closeSync(openSync(draft, 'wx', 0o600))
    const copied = await copyInto(draft, from, options)
    const problems = await settle(draft, copied.losses, options)
    const hasKey = copyKey(from, to)
    syncFile(draft)
    // a small copy may be complete before progress is next requested
    options.signal?.throwIfAborted()
    // the folder does not count as complete until the file has its final name
    renameSynced(draft, join(to, DATABASE))
    return { to, problems, hasKey, ...copied.found, ...buildReport(copied.losses) }
  } catch (error) {
    const told = failure(error, to, options.signal)
    clear(to, isNew)
    throw told
  }
}

function failure(error: unknown, to: string, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return new ServiceError('cancelled', 'Cancelled. No new folder was created.', { cause: error })
  if (error instanceof Error && 'syscall' in error) return dataFolderError(to, error)
  return toServiceError(error, join(to, DATABASE))
}

async function copyInto(draft: string, from: string, { onPages, signal }: SalvageOptions) {
  const database = join(from, DATABASE)
  const losses = new Losses()
  const file = new PageFile(database, runningServer({ path: from, database, scratch: scratchFolder(from) }) !== null)
  try {
    const seen = new Set<number>()
    const layout = findLayout(file, seen)
    await copyRows(draft, { file, layout, losses, seen, onPages, signal })
    file.checkUnchanged()
    return { losses, found: { isSchemaDamaged: layout.isSchemaDamaged, isLogCut: file.isLogCut } }
  } finally {
    file.close()
  }
}

/** Migrates the file to the newest schema, and makes it a consistent store. */
async function settle(
  draft: string,
  losses: Losses,
  { now, onPhase, signal }: SalvageOptions,
): Promise<StoreProblem[]> {
  onPhase('repairing')
  const db = new SqliteDatabase({ path: draft, waitForLock: 'blocking', durable: false })
  try {
    db.transactNow(() => repair(db, losses, clockAt(db.drive(readClock()), now)))
    onPhase('checking')
    const problems: StoreProblem[] = []
    for await (const problem of checkDatabase(db)) {
      signal?.throwIfAborted()
      problems.push(problem)
    }
    return problems
  } finally {
    db.close()
  }
}

/** Returns whether the folder was created. */
function makeTarget(from: string, to: string): boolean {
  const found = statSync(to, { throwIfNoEntry: false })
  if (found && !(found.isDirectory() && readdirSync(to).length === 0)) {
    throw new ServiceError('usage', `${to} is not empty. Salvaged data needs its own folder.`, {
      suggestions: ['Specify a folder that does not exist yet, or an empty one.'],
    })
  }
  const source = realpathSync(from)
  if (to === from || `${to}${sep}`.startsWith(`${from}${sep}`) || `${to}${sep}`.startsWith(`${source}${sep}`)) {
    throw new ServiceError('usage', `${to} is inside the damaged folder, which must stay as it is.`, {
      suggestions: ['Specify a folder outside the damaged one.'],
    })
  }
  try {
    if (found) chmodSync(to, 0o700)
    else makeFolder(to)
  } catch (error) {
    throw dataFolderError(to, error)
  }
  return !found
}

/** Copies the master key. Without the key, sealed secrets cannot be opened and cursors are refused. */
function copyKey(from: string, to: string): boolean {
  const key = join(from, MASTER_KEY)
  if (!existsSync(key)) return false
  copyFileSync(key, join(to, MASTER_KEY))
  chmodSync(join(to, MASTER_KEY), 0o600)
  syncFile(join(to, MASTER_KEY))
  return true
}

function clear(to: string, isNew: boolean): void {
  if (isNew) rmSync(to, { recursive: true, force: true })
  else for (const name of readdirSync(to)) rmSync(join(to, name), { recursive: true, force: true })
}

function buildReport(losses: Losses) {
  const { report: tables, named, leftOut, unreadablePages, rebuilt } = losses
  return { tables, losses: named, leftOut, unreadablePages, rebuilt }
}
