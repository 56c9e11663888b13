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
  connection: Connection,
  entry: TapeEntry,
): { readonly connection: Connection; readonly entry: () => number | null } {
  let changes = 0
  let number: number | null = null
  const view: Connection = Object.create(connection)
  Object.assign(view, { [TAPING]: true })
  view.run = (sql, ...values) => {
    const changed = connection.run(sql, ...values)
    changes += changed
    return changed
  }
  const appending =
    (write: typeof connection.write) =>
    async <T>(body: () => T): Promise<T> => {
      if (number !== null) return write.call(connection, body) as Promise<T>
      let appended: number | null = null
      const result = await write.call(connection, () => {
        changes = 0
        const done = body()
        appended = changes > 0 ? appendEntry(connection, entry) : null
        return done
      })
      number ??= appended
      return result as T
    }
  view.write = appending(connection.write)
  view.writeAside = appending(connection.writeAside)
  return { connection: view, entry: () => number }
}

/** Returns whether the changes of this connection are on the tape already. */
export function isTaping(connection: Connection): boolean {
  return TAPING in connection
}

/** Must run inside a write. Returns the number of the entry, or null if the recording is over. */
export function appendEntry(
  connection: Connection,
  { recordingId, line, upload, withTeams }: TapeEntry,
): number | null {
  const row = connection.get<{ last: number }>(
    'UPDATE recording SET last=last+1 WHERE recording_id=? AND alive_until>=? RETURNING last',
    recordingId,
    connection.realNow(),
  )
  if (!row) return null
  const number = row.last
  const teams = withTeams ? { teams: connection.all('SELECT * FROM team ORDER BY created_on, team_id') } : {}
  const pieces = upload === null ? 0 : appendUpload(connection, number, upload)
  const text = JSON.stringify({ number, ...line, ...teams, ...(upload === null ? {} : { pieces }) })
  connection.run('INSERT INTO recording_entry (number, part, line) VALUES (?,0,?)', number, text)
  return number
}

/** Appends an upload and returns how many pieces there are. */
function appendUpload(connection: Connection, number: number, path: string): number {
  const file = openSync(path, 'r')
  try {
    const piece = Buffer.alloc(PIECE_BYTES)
    for (let part = 1; ; part++) {
      const bytes = readSync(file, piece, 0, PIECE_BYTES, null)
      if (bytes === 0) return part - 1
      connection.run(
        'INSERT INTO recording_entry (number, part, data) VALUES (?,?,?)',
        number,
        part,
        piece.subarray(0, bytes),
      )
    }
  } finally {
    closeSync(file)
  }
}

/** Yields entries after a number, each as a whole, until at least this many bytes have been read. */
export async function* readEntries(connection: Connection, after: number, mostBytes: number): AsyncIterable<TapePiece> {
  let read = 0
  for (let number = after; read < mostBytes; ) {
    const from = number
    const next = await connection.read(() =>
      connection.get<{ number: number; line: string }>(
        'SELECT number, line FROM recording_entry WHERE number>? AND part=0 ORDER BY number LIMIT 1',
        from,
      ),
    )
    if (!next) return
    number = next.number
    read += next.line.length
    yield { kind: 'line', number, text: next.line }
    for await (const bytes of uploadOf(connection, number)) {
      read += bytes.length
      yield { kind: 'upload', number, bytes }
    }
  }
}

async function* uploadOf(connection: Connection, number: number): AsyncIterable<Uint8Array> {
  for (let part = 1; ; part++) {
    const at = part
    const row = await connection.read(() =>
      connection.get<{ data: Uint8Array }>('SELECT data FROM recording_entry WHERE number=? AND part=?', number, at),
    )
    if (!row) return
    yield row.data
  }
}
