/** Entries of the tape as rows. Each one is written in the transaction of the change that it describes. */
import { closeSync, openSync, readSync } from 'node:fs'
import type { TapeEntry, TapePiece } from '../../tape.ts'
import type { Connection } from '../connection.ts'

/** Size of a piece of an upload, in bytes. Each piece is sent on a line of its own. */
const PIECE_BYTES = 1 << 20

/** Set on the connections whose changes are on the tape. */
const TAPING = Symbol('taping')

/**
 * Returns the connection of one change. Its first write that changes something also appends the entry; a write beside the call counts, too.
 * The entry is not appended if the recording has ended in the meantime.
 */
export function tapingConnection(
  db: Connection,
  entry: TapeEntry,
): { readonly db: Connection; readonly entry: () => number | null } {
  let changes = 0
  let number: number | null = null
  const view: Connection = Object.create(db)
  Object.assign(view, { [TAPING]: true })
  view.run = (sql, ...values) => {
    const changed = db.run(sql, ...values)
    changes += changed
    return changed
  }
  const appending =
    (write: typeof db.write) =>
    async <T>(body: () => T): Promise<T> => {
      if (number !== null) return write.call(db, body) as Promise<T>
      let appended: number | null = null
      const result = await write.call(db, () => {
        changes = 0
        const done = body()
        appended = changes > 0 ? appendEntry(db, entry) : null
        return done
      })
      number ??= appended
      return result as T
    }
  view.write = appending(db.write)
  view.writeAside = appending(db.writeAside)
  return { db: view, entry: () => number }
}

/** Returns whether the changes of this connection are on the tape already. */
export function isTaping(db: Connection): boolean {
  return TAPING in db
}

/** Must run inside a write. Returns the number of the entry, or null if the recording is over. */
export function appendEntry(db: Connection, { recordingId, line, upload, withTeams }: TapeEntry): number | null {
  const row = db.get<{ last: number }>(
    'UPDATE recording SET last=last+1 WHERE recording_id=? AND alive_until>=? RETURNING last',
    recordingId,
    db.realNow(),
  )
  if (!row) return null
  const number = row.last
  const teams = withTeams ? { teams: db.all('SELECT * FROM team ORDER BY created_on, team_id') } : {}
  const pieces = upload === null ? 0 : appendUpload(db, number, upload)
  const text = JSON.stringify({ number, ...line, ...teams, ...(upload === null ? {} : { pieces }) })
  db.run('INSERT INTO recording_entry (number, part, line) VALUES (?,0,?)', number, text)
  return number
}

/** Appends an upload and returns how many pieces there are. */
function appendUpload(db: Connection, number: number, path: string): number {
  const file = openSync(path, 'r')
  try {
    const piece = Buffer.alloc(PIECE_BYTES)
    for (let part = 1; ; part++) {
      const bytes = readSync(file, piece, 0, PIECE_BYTES, null)
      if (bytes === 0) return part - 1
      db.run('INSERT INTO recording_entry (number, part, data) VALUES (?,?,?)', number, part, piece.subarray(0, bytes))
    }
  } finally {
    closeSync(file)
  }
}

/** Yields entries after a number, each as a whole, until at least this many bytes have been read. */
export async function* readEntries(db: Connection, after: number, mostBytes: number): AsyncIterable<TapePiece> {
  let read = 0
  for (let number = after; read < mostBytes; ) {
    const from = number
    const next = await db.read(() =>
      db.get<{ number: number; line: string }>(
        'SELECT number, line FROM recording_entry WHERE number>? AND part=0 ORDER BY number LIMIT 1',
        from,
      ),
    )
    if (!next) return
    number = next.number
    read += next.line.length
    yield { kind: 'line', number, text: next.line }
    for await (const bytes of uploadOf(db, number)) {
      read += bytes.length
      yield { kind: 'upload', number, bytes }
    }
  }
}

async function* uploadOf(db: Connection, number: number): AsyncIterable<Uint8Array> {
  for (let part = 1; ; part++) {
    const at = part
    const row = await db.read(() =>
      db.get<{ data: Uint8Array }>('SELECT data FROM recording_entry WHERE number=? AND part=?', number, at),
    )
    if (!row) return
    yield row.data
  }
}
