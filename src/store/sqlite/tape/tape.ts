/** The port's tape: at most one recording at a time, and what it still holds. */
import type { UserId } from '../../../core/ids.ts'
import type { SnapshotMoment } from '../../snapshot.ts'
import type { KeepAlive, RecordingState, TapedEvent, TapeStore } from '../../tape.ts'
import type { Connection } from '../connection.ts'
import { OutboxWriter } from '../events/outbox.ts'
import { FolderPart } from '../part.ts'
import { requireActive } from '../users/users.ts'
import { adoptState } from './adopt.ts'
import { copyBase } from './base.ts'
import { appendEntry, readEntries } from './entries.ts'

interface RecordingRow {
  readonly recording_id: string
  readonly alive_until: number
  readonly last: number
}

export class SqliteTape extends FolderPart implements TapeStore {
  async state(real: number) {
    const kept = await this.db.read(() => this.db.remembered('recording', () => ({ row: find(this.db) })))
    return kept.row && kept.row.alive_until >= real ? stateOf(kept.row) : null
  }

  start(recordingId: string, real: number, aliveUntil: number) {
    return this.db.write(() => {
      const row = find(this.db)
      if (row && row.alive_until >= real) return false
      clear(this.db)
      this.db.run('INSERT INTO recording (recording_id, alive_until, last) VALUES (?,?,0)', recordingId, aliveUntil)
      return true
    })
  }

  async keepAlive(recordingId: string, read: number, { real, aliveUntil }: KeepAlive) {
    const row = await this.db.read(() => find(this.db, recordingId))
    if (!row) return null
    if (row.alive_until < real) return { ...stateOf(row), isOn: false }
    const first = await this.db.read(() =>
      this.db.get<{ number: number | null }>('SELECT min(number) AS number FROM recording_entry'),
    )
    const isRead = (first?.number ?? Number.MAX_SAFE_INTEGER) <= read
    // a recorder with nothing to report writes nothing until a third of its time is over
    if (!isRead && aliveUntil - row.alive_until < (aliveUntil - real) / 3) return { ...stateOf(row), isOn: true }
    return this.db.writeAside(() => {
      this.db.run('DELETE FROM recording_entry WHERE number<=?', read)
      const sql = 'UPDATE recording SET alive_until=? WHERE recording_id=? AND alive_until>=?'
      return { ...stateOf(row), isOn: this.db.run(sql, aliveUntil, recordingId, real) > 0 }
    })
  }

  stop(recordingId: string, read: number) {
    return this.db.write(() => {
      const row = find(this.db, recordingId)
      if (!row) return null
      const isRemoved = read >= row.last
      if (isRemoved) clear(this.db)
      else this.db.run('UPDATE recording SET alive_until=0 WHERE recording_id=?', recordingId)
      return { ...stateOf(row), isRemoved }
    })
  }

  async append(recordingId: string, line: Readonly<Record<string, unknown>>) {
    await this.db.writeAside(() => appendEntry(this.db, { recordingId, line, upload: null, withTeams: false }))
  }

  async *read(recordingId: string, after: number, mostBytes: number) {
    if (await this.db.read(() => find(this.db, recordingId))) yield* readEntries(this.db, after, mostBytes)
  }

  copyTo(path: string, at: SnapshotMoment) {
    return copyBase(this.folder.database, path, at)
  }

  emit(userId: UserId, { teamId, type, at, document }: TapedEvent) {
    return this.db.write(() => {
      requireActive(this.db, userId)
      const outbox = new OutboxWriter(this.db, userId, teamId, at, true)
      outbox.document(type, document)
      outbox.finish()
    })
  }

  addTeams(rows: readonly Readonly<Record<string, unknown>>[]) {
    return this.db.write(() => {
      const columns = this.db.all<{ name: string }>("SELECT name FROM pragma_table_info('team')").map(each => each.name)
      for (const row of rows) {
        // a later version may have other columns
        const known = columns.filter(name => name in row && name !== 'user_count')
        this.db.run(
          `INSERT INTO team (${known.join(', ')}) VALUES (${known.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`,
          ...known.map(name => row[name] as string | number | null),
        )
      }
    })
  }

  adopt(path: string, signal?: AbortSignal) {
    return adoptState(this.db, this.folder.database, path, signal)
  }
}

function find(db: Connection, recordingId: string | null = null): RecordingRow | undefined {
  return db.get<RecordingRow>(
    'SELECT recording_id, alive_until, last FROM recording WHERE ? IS NULL OR recording_id=? LIMIT 1',
    recordingId,
    recordingId,
  )
}

function clear(db: Connection): void {
  db.run('DELETE FROM recording_entry')
  db.run('DELETE FROM recording')
}

function stateOf({ recording_id: recordingId, last }: RecordingRow): RecordingState {
  return { recordingId, last }
}
