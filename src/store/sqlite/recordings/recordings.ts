/** Implements the port's recordings. There is at most one at a time, with its remaining entries. */
import type { UserId } from '../../../core/ids.ts'
import type { DataFolder } from '../../folder/data-folder.ts'
import type { Database } from '../../logic/database.ts'
import { OutboxWriter } from '../../logic/events/outbox.ts'
import { onDatabase, part, read, write, writeAbout, writeAside } from '../../logic/part.ts'
import { command, many, one, query, remembered, run, type SqlValue, type Steps } from '../../logic/steps.ts'
import type { OwedEntry } from '../../logic/teams/audit.ts'
import { requireActive } from '../../logic/users/users.ts'
import type { KeepAlive, RecordedEvent, RecordingPiece, RecordingState, RecordingStore } from '../../recording.ts'
import type { SnapshotMoment } from '../../snapshot.ts'
import { adoptState } from './adopt.ts'
import { copyBase } from './base.ts'
import { appendEntry, readEntries } from './entries.ts'

interface RecordingRow {
  readonly recording_id: string
  readonly alive_until: number
  readonly last: number
}

const LATEST = query<RecordingRow>('SELECT recording_id, alive_until, last FROM recording LIMIT 1')
const BY_ID = query<RecordingRow>('SELECT recording_id, alive_until, last FROM recording WHERE recording_id=?')
const BEGIN = command('INSERT INTO recording (recording_id, alive_until, last) VALUES (?,?,0)')
const RENEW = command('UPDATE recording SET alive_until=? WHERE recording_id=? AND alive_until>=?')
const END = command('UPDATE recording SET alive_until=0 WHERE recording_id=?')
const DROP = command('DELETE FROM recording')
const DROP_ENTRIES = command('DELETE FROM recording_entry')
const DROP_READ = command('DELETE FROM recording_entry WHERE number<=?')
const FIRST_ENTRY = query<{ readonly number: number | null }>('SELECT min(number) AS number FROM recording_entry')
const TEAM_COLUMNS = query<{ readonly name: string }>("SELECT name FROM pragma_table_info('team')")

export class SqliteRecordings
  extends part({
    state: read(stateAt),
    start: write(start),
    keepAlive: onDatabase(keepAlive),
    stop: write(stop),
    append: writeAside(appendLine),
    read: onDatabase(readPieces),
    emit: writeAbout(emit),
    addTeams: write(addTeams),
  })
  implements RecordingStore
{
  private readonly db: Database
  private readonly folder: DataFolder
  private readonly owed: OwedEntry | undefined

  constructor(db: Database, folder: DataFolder, owed: OwedEntry | undefined) {
    super(db)
    this.db = db
    this.folder = folder
    this.owed = owed
  }

  copyTo(path: string, at: SnapshotMoment) {
    return copyBase(this.folder.database, path, at)
  }

  adopt(path: string, signal?: AbortSignal) {
    return adoptState(this.db, path, { database: this.folder.database, owed: this.owed, signal })
  }
}

function* stateAt(real: number): Steps<RecordingState | null> {
  const { row } = yield* remembered('recording', latest)
  return row && row.alive_until >= real ? toState(row) : null
}

function* latest(): Steps<{ readonly row: RecordingRow | undefined }> {
  return { row: yield* one(LATEST) }
}

async function keepAlive(db: Database, recordingId: string, read: number, { real, aliveUntil }: KeepAlive) {
  const row = await db.read(() => one(BY_ID, [recordingId]))
  if (!row) return null
  if (row.alive_until < real) return { ...toState(row), isOn: false }
  const first = await db.read(() => one(FIRST_ENTRY))
  const isRead = (first?.number ?? Number.MAX_SAFE_INTEGER) <= read
  // a recorder with nothing to report does not write until a third of its time has passed
  if (!isRead && aliveUntil - row.alive_until < (aliveUntil - real) / 3) return { ...toState(row), isOn: true }
  const isOn = await db.writeAside(() => renew(recordingId, read, { real, aliveUntil }))
  return { ...toState(row), isOn }
}

function* appendLine(recordingId: string, line: Readonly<Record<string, unknown>>): Steps<void> {
  yield* appendEntry({ recordingId, line, upload: null, withTeams: false })
}

async function* readPieces(
  db: Database,
  recordingId: string,
  after: number,
  mostBytes: number,
): AsyncIterable<RecordingPiece> {
  if (await db.read(() => one(BY_ID, [recordingId]))) yield* readEntries(db, after, mostBytes)
}

function* start(recordingId: string, real: number, aliveUntil: number): Steps<boolean> {
  const row = yield* one(LATEST)
  if (row && row.alive_until >= real) return false
  yield* clear()
  yield* run(BEGIN, [recordingId, aliveUntil])
  return true
}

function* renew(recordingId: string, read: number, { real, aliveUntil }: KeepAlive): Steps<boolean> {
  yield* run(DROP_READ, [read])
  return (yield* run(RENEW, [aliveUntil, recordingId, real])) > 0
}

function* stop(recordingId: string, read: number): Steps<(RecordingState & { readonly isRemoved: boolean }) | null> {
  const row = yield* one(BY_ID, [recordingId])
  if (!row) return null
  const isRemoved = read >= row.last
  if (isRemoved) yield* clear()
  else yield* run(END, [recordingId])
  return { ...toState(row), isRemoved }
}

function* clear(): Steps<void> {
  yield* run(DROP_ENTRIES)
  yield* run(DROP)
}

function* emit(userId: UserId, { teamId, type, at, document }: RecordedEvent): Steps<void> {
  yield* requireActive(userId)
  const outbox = yield* OutboxWriter.open(userId, teamId, at, true)
  yield* outbox.document(type, document)
  yield* outbox.finish()
}

function* addTeams(rows: readonly Readonly<Record<string, unknown>>[]): Steps<void> {
  const columns = (yield* many(TEAM_COLUMNS)).map(each => each.name)
  for (const row of rows) {
    // a later version may have other columns
    const known = columns.filter(name => name in row && name !== 'user_count')
    const insertion = command(
      `INSERT INTO team (${known.join(', ')}) VALUES (${known.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`,
    )
    // a recording contains the table's rows
    yield* run(
      insertion,
      known.map(name => row[name] as SqlValue),
    )
  }
}

function toState({ recording_id: recordingId, last }: RecordingRow): RecordingState {
  return { recordingId, last }
}
