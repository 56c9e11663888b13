/** Copies all rows from one store to another, slice by slice, and continues where an earlier run was interrupted. */
import { ServiceError } from '../../core/errors.ts'
import { elapsedMs } from '../../core/time.ts'
import { disableTokenSets, readTokenSetsState } from '../logic/live/moved.ts'
import { damaged } from '../logic/rows/damage.ts'
import type { SqlValues } from '../logic/steps.ts'
import { setting } from '../logic/teams/settings.ts'
import { UNFINISHED_COPY } from '../logic/unfinished-copy.ts'
import type { CopyProgress, CopyReport, CopySource, CopyTarget } from './side.ts'
import { readSlice } from './source-rows.ts'
import { type SourceState, sourceState } from './source-state.ts'
import { COPIED_TABLES } from './tables.ts'
import { advanceTo, beginCopy, finishCopy, isEmptyStore, writeSettings, writeSlice } from './target-rows.ts'

export interface CopyOptions {
  readonly onProgress: (progress: CopyProgress) => void
  readonly signal: AbortSignal | undefined
  /**
   * Whether the source stays in use, so that its token sets and the rows about them are not copied. Otherwise, they belong to the target
   * from then on.
   */
  readonly isSnapshot?: boolean
}

/** The progress of a copy, as stored in the target. */
interface Reached {
  /** The source's ID and the digest of its state. */
  readonly source: string
  readonly digest: string
  /** Number of complete tables, and the last copied key of the next table. Null if the settings have not been copied yet. */
  readonly tables: number | null
  readonly after: SqlValues | null
  /** Number of rows copied so far from the current table. */
  readonly tableRows: number
  readonly rows: number
  readonly bytes: number
}

/**
 * Copies the rows that are not yet in the target. Throws ServiceError `data_damaged`, `conflict` if the source has changed or cannot be
 * copied, `data_folder` if the target is not empty, and `cancelled`.
 */
export async function copyRows(source: CopySource, target: CopyTarget, options: CopyOptions): Promise<CopyReport> {
  const began = elapsedMs()
  const state = await source.read(sourceState)
  if (state.hasUncheckedRows) throw uncheckedRows()
  const found = await target.db.read(() => setting(UNFINISHED_COPY))
  let reached = found === undefined ? await begin(source, target, state) : continued(`${found}`, source, target, state)
  const { onProgress, signal, isSnapshot = false } = options
  while (reached.tables === null || reached.tables < COPIED_TABLES.length) {
    if (signal?.aborted) throw cancelled(signal.reason)
    const table = COPIED_TABLES[reached.tables ?? 0]
    onProgress({
      phase: 'copying',
      table: table?.table ?? '',
      rows: reached.rows,
      totalRows: state.rows,
      bytes: reached.bytes,
    })
    const isLeftOut = isSnapshot && table?.belongsToStore === true
    reached = isLeftOut ? await skip(target, reached) : await advance(source, target, state, reached)
  }
  onProgress({ phase: 'comparing', table: '', rows: reached.rows, totalRows: state.rows, bytes: reached.bytes })
  await source.refresh()
  if ((await source.read(sourceState)).digest !== state.digest) throw changed()
  if (!isSnapshot) await moveTokenSets(source)
  await target.db.write(() => finishCopy(state.settings))
  await target.settle()
  return {
    from: source.shown,
    to: target.shown,
    users: state.counts.get('user') ?? 0,
    samples: state.samples,
    events: state.counts.get('outbox') ?? 0,
    rows: reached.rows,
    bytes: reached.bytes,
    seconds: (elapsedMs() - began) / 1000,
    isContinued: found !== undefined,
  }
}

/** Copies the settings, or the next slice of a table. */
async function advance(source: CopySource, target: CopyTarget, state: SourceState, reached: Reached): Promise<Reached> {
  const table = COPIED_TABLES[reached.tables ?? 0]
  if (reached.tables === null || table === undefined) {
    const next = { ...reached, tables: 0 }
    await target.db.write(() => writeSettings(state.settings, between(reached, next)))
    return next
  }
  const slice = await source.read(() => readSlice(table, reached.after, state))
  const tableRows = reached.tableRows + slice.rows.length
  const isLast = slice.last === null
  if (isLast && tableRows !== state.counts.get(table.table))
    throw damaged({ what: `the index of ${table.table}`, userId: null })
  const next: Reached = {
    ...reached,
    tables: isLast ? reached.tables + 1 : reached.tables,
    after: slice.last,
    tableRows: isLast ? 0 : tableRows,
    rows: reached.rows + slice.rows.length,
    bytes: reached.bytes + slice.bytes,
  }
  await target.db.write(() => writeSlice(table, slice.rows, between(reached, next)))
  return next
}

/** Skips a table. */
async function skip(target: CopyTarget, reached: Reached): Promise<Reached> {
  const next: Reached = { ...reached, tables: (reached.tables ?? 0) + 1 }
  await target.db.write(() => advanceTo(between(reached, next)))
  return next
}

/**
 * Durably disables the source's token sets before the target can be used, because two stores that refresh the same token set would lose it.
 * If the process is killed in between, the target is still unfinished, and continuing the copy finishes it.
 */
async function moveTokenSets(source: CopySource): Promise<void> {
  const before = await source.read(readTokenSetsState)
  if (before.active === 0) return
  if (!(await source.write(() => disableTokenSets(before)))) throw changed()
}

function between(before: Reached, after: Reached) {
  return { before: JSON.stringify(before), after: JSON.stringify(after) }
}

async function begin(source: CopySource, target: CopyTarget, { digest }: SourceState): Promise<Reached> {
  if (!(await target.db.read(isEmptyStore))) throw notEmpty(target)
  const reached: Reached = {
    source: source.storeId,
    digest,
    tables: null,
    after: null,
    tableRows: 0,
    rows: 0,
    bytes: 0,
  }
  await target.db.write(() => beginCopy(JSON.stringify(reached)))
  return reached
}

function continued(text: string, source: CopySource, target: CopyTarget, { digest }: SourceState): Reached {
  const reached = JSON.parse(text) as Reached // the text was written by `advance`
  if (reached.source !== source.storeId) {
    throw new ServiceError('conflict', `${target.shown} contains an unfinished copy of another store.`, {
      suggestions: ['Specify the store that it is a copy of with --from, or an empty target with --to.'],
    })
  }
  if (reached.digest !== digest) throw changed()
  return reached
}

function notEmpty({ shown }: CopyTarget): ServiceError {
  return new ServiceError('conflict', `${shown} already contains data. A store can be copied only into an empty one.`, {
    suggestions: ['Specify a new folder or an empty database with --to.'],
  })
}

function changed(): ServiceError {
  return new ServiceError('conflict', 'The source has changed since the copy began, so the copy would be incomplete.', {
    suggestions: [
      'Stop everything that writes to the source: servers, commands, scheduled jobs.',
      'Then begin again with an empty target: remove the folder, or drop the database and create it again.',
    ],
  })
}

function uncheckedRows(): ServiceError {
  return new ServiceError('conflict', 'The source may contain rows without a checksum, written by an older svc.', {
    suggestions: ['Add the checksums first: svc engine check --rewrite'],
  })
}

function cancelled(cause: unknown): ServiceError {
  return new ServiceError('cancelled', 'Cancelled. To continue, run the same command again.', { cause })
}
