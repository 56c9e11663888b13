/** Stores imports as rows: the data that each import added and replaced, so that the import can be undone. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { SampleColumns } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import { encodeChunk } from '../../chunk/codec.ts'
import { sliceColumns } from '../../chunk/columns.ts'
import type { ImportPage, ImportRecord, NewImport, WriteReport } from '../../data-write.ts'
import { type DamageLocation, damaged, requireProgress, storedJson } from '../rows/damage.ts'
import {
  IMPORTS,
  IMPORTS_BEFORE,
  type ImportBeforeRow,
  type ImportTableRow,
  type LiveRecordRow,
  USERS,
} from '../rows/tables.ts'
import type { StreamOutcome, StreamRow } from '../samples/streams.ts'
import type { SummaryOutcome, SummaryRow } from '../samples/summaries.ts'
import { command, many, one, query, run, type Steps } from '../steps.ts'
import { isActive } from '../users/users.ts'
import { keptFilesOf } from './import-files.ts'

/** Maximum number of samples in a row of replaced data, which limits the memory needed to undo an import. */
const MOST_BEFORE = 10_000

/**
 * Kinds of `import_before` rows. `item` identifies a series, a summary (`kind/id`), a workout or a provider. For a summary or stream, `rev`
 * is the `updated_at` of the version that the import wrote. A `record` row has the state of a live provider's record before a remap.
 */
export type BeforeKind = 'samples' | 'summary' | 'stream' | 'connection' | 'record'

/** `rev` of a row whose data a remap removed. Undoing the remap puts it back where there is nothing else. */
export const REMOVED = -1

/** `rev` of a row of samples that a remap replaced with what its imports had replaced. The restored samples belong to others. */
export const RESTORED = -2

/** The previous state of a provider's record, in the document of a `record` row. */
export type RecordBefore = Pick<LiveRecordRow, 'provider' | 'collection' | 'record_id' | 'version' | 'brought'>

/** The previous version of a stream, in a row's `document`. Its points are in the row's `data`. */
export type StreamBefore = Omit<StreamRow, 'data'>

/** Records the data that an import replaces, in the transaction that merges the import. */
export class ImportJournal {
  private ord = 0
  private readonly userId: UserId
  private readonly importing: NewImport

  constructor(userId: UserId, importing: NewImport) {
    this.userId = userId
    this.importing = importing
  }

  /** Records replaced samples, in ascending order of start. */
  samples(seriesId: number, before: SampleColumns): Steps<void> {
    return this.sampleRows(seriesId, before, null)
  }

  *summary(kind: string, id: string, { before, version }: SummaryOutcome): Steps<void> {
    yield* this.add('summary', `${kind}/${id}`, version, null, before && JSON.stringify(before))
  }

  *stream(workoutId: string, { before, version }: StreamOutcome): Steps<void> {
    const { data = null, ...rest } = before ?? {}
    yield* this.add('stream', workoutId, version, data, before && JSON.stringify(rest satisfies Partial<StreamBefore>))
  }

  /** Records samples that a remap removed, in ascending order of start. */
  removedSamples(seriesId: number, removed: SampleColumns): Steps<void> {
    return this.sampleRows(seriesId, removed, REMOVED)
  }

  /** Records samples that a remap replaced with what its imports had replaced, in ascending order of start. */
  restoredSamples(seriesId: number, before: SampleColumns): Steps<void> {
    return this.sampleRows(seriesId, before, RESTORED)
  }

  *removedSummary(kind: string, row: SummaryRow): Steps<void> {
    yield* this.add('summary', `${kind}/${row.id}`, REMOVED, null, JSON.stringify(row))
  }

  *removedStream({ data, ...rest }: StreamRow): Steps<void> {
    yield* this.add('stream', rest.workout_id, REMOVED, data, JSON.stringify(rest satisfies StreamBefore))
  }

  /** Records the state of a provider's record that a remap changes. */
  *record({ provider, collection, record_id, version, brought }: RecordBefore): Steps<void> {
    const document: RecordBefore = { provider, collection, record_id, version, brought }
    yield* this.add('record', record_id, null, null, JSON.stringify(document))
  }

  /** Records a connection that the import created. */
  *connected(provider: string): Steps<void> {
    yield* this.add('connection', provider, null, null, null)
  }

  /** Stores the import itself. `first` and `last` are the numbers of its events. `first` is exclusive. */
  *finish(at: EpochMs, report: WriteReport, first: number, last: number): Steps<void> {
    const { importId, format, ...facts } = this.importing
    yield* IMPORTS.insert({
      user_id: this.userId,
      import_id: importId,
      at,
      format,
      report: JSON.stringify({ ...facts, report, number: (yield* countImports(this.userId)) + 1 } satisfies KeptReport),
      first_sequence: first,
      last_sequence: last,
      undone_at: null,
    })
  }

  private *sampleRows(seriesId: number, samples: SampleColumns, rev: number | null): Steps<void> {
    for (let from = 0; from < samples.n; from += MOST_BEFORE) {
      const rows = sliceColumns(samples, from, Math.min(samples.n, from + MOST_BEFORE))
      yield* this.add('samples', `${seriesId}`, rev, encodeChunk(rows), null)
    }
  }

  private *add(
    kind: BeforeKind,
    item: string,
    rev: number | null,
    data: Uint8Array | null,
    document: string | null,
  ): Steps<void> {
    yield* IMPORTS_BEFORE.insert({
      user_id: this.userId,
      import_id: this.importing.importId,
      ord: ++this.ord,
      kind,
      item,
      rev,
      data,
      document,
    })
  }
}

export interface KeptReport extends Omit<NewImport, 'importId' | 'format'> {
  readonly report: WriteReport
  /** Number of the import within its user. Absent before schema 12. */
  readonly number?: number
}

const COUNT_IMPORTS = query<{ readonly n: number }>('SELECT count(*) AS n FROM import WHERE user_id=?')

function* countImports(userId: UserId): Steps<number> {
  return (yield* one(COUNT_IMPORTS, [userId]))?.n ?? 0
}

/** Returns imports of one user in the order in which they were stored. */
export function inOrder(rows: readonly ImportTableRow[]): ImportTableRow[] {
  const numberOf = (row: ImportTableRow): number =>
    storedJson<KeptReport>(row.report, () => IMPORTS.damageLocation(row)).number ?? 0
  // an import without events comes before the one that begins at the same event; several of them have numbers
  return [...rows].sort(
    (a, b) =>
      a.first_sequence - b.first_sequence ||
      a.last_sequence - b.last_sequence ||
      numberOf(a) - numberOf(b) ||
      a.at - b.at,
  )
}

/** Returns the resources and summary kinds of which an import brought data, and the SHA-256 of its file, if it is kept. */
export function importedFacts(
  { report }: ImportTableRow,
  location: () => DamageLocation,
): { readonly names: readonly string[]; readonly sha256: string | null } {
  const { file, report: counts } = storedJson<KeptReport>(report, location)
  return { names: [...Object.keys(counts.stored), ...Object.keys(counts.summaries)], sha256: file?.sha256 ?? null }
}

const NEXT_BEFORE = IMPORTS_BEFORE.query('WHERE user_id=? AND import_id=? AND ord>? ORDER BY ord LIMIT 20')
const BEFORE_AT = IMPORTS_BEFORE.query('WHERE user_id=? AND import_id=? AND ord=?')
const REMOVE_BEFORE = command('DELETE FROM import_before WHERE user_id=? AND import_id=? AND ord=?')

/**
 * Returns the next rows of data that an import replaced, in their original order: the rows after `last`, or the first rows. The result is
 * empty at the end.
 */
export function* beforeRows(userId: UserId, importId: string, last?: ImportBeforeRow): Steps<ImportBeforeRow[]> {
  const after = last?.ord ?? 0
  const rows = yield* many(NEXT_BEFORE, [userId, importId, after])
  const end = rows.at(-1)
  if (end) requireProgress(end.ord > after, 'the data that an import replaced')
  return rows
}

export function* beforeRow(userId: UserId, importId: string, ord: number): Steps<ImportBeforeRow | undefined> {
  return yield* one(BEFORE_AT, [userId, importId, ord])
}

const LAST_ORD = query<{ readonly last: number | null }>(
  'SELECT max(ord) AS last FROM import_before WHERE user_id=? AND import_id=?',
)

/** Adds samples to the data that an import replaced. */
export function* appendSamples(
  userId: UserId,
  importId: string,
  seriesId: number,
  samples: SampleColumns,
): Steps<void> {
  const { last = 0 } = (yield* one(LAST_ORD, [userId, importId])) ?? {}
  yield* IMPORTS_BEFORE.insert({
    user_id: userId,
    import_id: importId,
    ord: (last ?? 0) + 1,
    kind: 'samples' satisfies BeforeKind,
    item: `${seriesId}`,
    rev: null,
    data: encodeChunk(samples),
    document: null,
  })
}

export function* removeBefore(userId: UserId, importId: string, ord: number): Steps<void> {
  yield* run(REMOVE_BEFORE, [userId, importId, ord])
}

/** All imports for a user. */
export const IMPORTS_OF_USER = IMPORTS.query('WHERE user_id=?')
const IMPORTS_OF_TEAM = IMPORTS.query(
  dialect =>
    `WHERE user_id IN (SELECT user_id FROM user ${dialect.index('user_by_id')} WHERE team_id=? AND deleted_at IS NULL)`,
)

function* selectImports(teamId: TeamId, userId: UserId | null): Steps<ImportTableRow[]> {
  if (userId === null) return yield* many(IMPORTS_OF_TEAM, [teamId])
  return (yield* isActive(teamId, userId)) ? yield* many(IMPORTS_OF_USER, [userId]) : []
}

const USERS_IN = USERS.query(dialect => `WHERE user_id IN (${dialect.listed})`)

/** Returns these users' client_user_ids, by user_id. */
function* readNames(userIds: readonly string[]): Steps<ReadonlyMap<string, string>> {
  const users = yield* many(USERS_IN, [JSON.stringify([...new Set(userIds)])])
  return new Map(users.map(user => [user.user_id, user.client_user_id]))
}

/**
 * Returns the imports for a user, or for all active users of the team (null), newest first. Throws ServiceError `data_damaged` if a user's
 * row is missing.
 */
export function* listImports(
  teamId: TeamId,
  userId: UserId | null,
  { limit, after }: ImportPage,
): Steps<ImportRecord[]> {
  const imports = yield* selectImports(teamId, userId)
  const page = imports
    .filter(row => !after || row.at < after.at || (row.at === after.at && row.import_id > after.importId))
    .sort((a, b) => b.at - a.at || (a.import_id < b.import_id ? -1 : 1))
    .slice(0, limit)
  const userIds = page.map(row => row.user_id)
  const names = page.length === 0 ? new Map<string, string>() : yield* readNames(userIds)
  const kept = page.length === 0 ? new Set<string>() : yield* keptFilesOf(userIds)
  return page.map(row => {
    const clientUserId = names.get(row.user_id)
    if (clientUserId === undefined) throw damaged({ what: 'a user', userId: row.user_id as UserId })
    return {
      userId: row.user_id as UserId,
      clientUserId,
      importId: row.import_id,
      at: row.at,
      format: row.format,
      undoneAt: row.undone_at,
      afterSequence: row.first_sequence,
      isKept: kept.has(row.import_id),
      ...storedJson<KeptReport>(row.report, () => IMPORTS.damageLocation(row)),
    }
  })
}
