/** Stores a recording's entries as rows. Each entry is written in the transaction of the change that it describes. */
import { closeSync, openSync, readSync } from 'node:fs'
import { type Database, withWrites } from '../../logic/database.ts'
import { command, counting, facts, many, one, perform, query, run, type Steps, through } from '../../logic/steps.ts'
import type { RecordingEntry, RecordingPiece } from '../../recording.ts'

/** Size of an upload's pieces in bytes. Each piece is sent on a separate line. */
const PIECE_BYTES = 1 << 20

interface EntryRow {
  readonly number: number
  readonly line: string
}

const NEXT_NUMBER = query<{ readonly last: number }>(
  'UPDATE recording SET last=last+1 WHERE recording_id=? AND alive_until>=? RETURNING last',
)
const TEAMS = query<object>('SELECT * FROM team ORDER BY created_on, team_id')
const ADD_LINE = command('INSERT INTO recording_entry (number, part, line) VALUES (?,0,?)')
const ADD_PIECE = command('INSERT INTO recording_entry (number, part, data) VALUES (?,?,?)')
const NEXT_LINE = query<EntryRow>(
  'SELECT number, line FROM recording_entry WHERE number>? AND part=0 ORDER BY number LIMIT 1',
)
const PIECE = query<{ readonly data: Uint8Array }>('SELECT data FROM recording_entry WHERE number=? AND part=?')

/**
 * Returns the database for one change. Its first write that changes something also appends the entry, even if this write only accompanies
 * the call. The entry is not appended if the recording has ended in the meantime.
 */
export function recordingDatabase(
  db: Database,
  entry: RecordingEntry,
): { readonly db: Database; readonly entry: () => number | null } {
  let number: number | null = null
  const appending =
    (write: Database['write']) =>
    async <T>(transaction: () => Steps<T>): Promise<T> => {
      if (number !== null) return write(() => withoutEvents(transaction()))
      const { result, appended } = await write(() => recorded(entry, transaction()))
      number ??= appended
      return result
    }
  const write = appending(transaction => db.write(transaction))
  const writeAside = appending(transaction => db.writeAside(transaction))
  return { db: withWrites(db, { write, writeAside }), entry: () => number }
}

function* recorded<T>(
  entry: RecordingEntry,
  transaction: Steps<T>,
): Steps<{ readonly result: T; readonly appended: number | null }> {
  const { result, changes } = yield* counting(withoutEvents(transaction))
  return { result, appended: changes > 0 ? yield* appendEntry(entry) : null }
}

/** Runs a transaction without recording its events, because they are caused by the entry. */
function withoutEvents<T>(transaction: Steps<T>): Steps<T> {
  return through(transaction, function* (step) {
    return step.kind === 'events' ? undefined : yield* perform(step)
  })
}

/** Appends an entry and returns its number, or null if the recording has ended. Must run inside a write. */
export function* appendEntry({ recordingId, line, upload, withTeams }: RecordingEntry): Steps<number | null> {
  const { realNow } = yield* facts()
  const row = yield* one(NEXT_NUMBER, [recordingId, realNow])
  if (!row) return null
  const number = row.last
  const teams = withTeams ? { teams: yield* many(TEAMS) } : {}
  const pieces = upload === null ? 0 : yield* appendUpload(number, upload)
  const text = JSON.stringify({ number, ...line, ...teams, ...(upload === null ? {} : { pieces }) })
  yield* run(ADD_LINE, [number, text])
  return number
}

/** Appends an upload and returns the number of its pieces. */
function* appendUpload(number: number, path: string): Steps<number> {
  const file = openSync(path, 'r')
  try {
    const piece = Buffer.alloc(PIECE_BYTES)
    for (let part = 1; ; part++) {
      const bytes = readSync(file, piece, 0, PIECE_BYTES, null)
      if (bytes === 0) return part - 1
      yield* run(ADD_PIECE, [number, part, piece.subarray(0, bytes)])
    }
  } finally {
    closeSync(file)
  }
}

/** Yields complete entries after a number, until at least this many bytes have been read. */
export async function* readEntries(db: Database, after: number, mostBytes: number): AsyncIterable<RecordingPiece> {
  let read = 0
  for (let number = after; read < mostBytes; ) {
    const from = number
    const next = await db.read(() => one(NEXT_LINE, [from]))
    if (!next) return
    number = next.number
    read += next.line.length
    yield { kind: 'line', number, text: next.line }
    for await (const bytes of readUpload(db, number)) {
      read += bytes.length
      yield { kind: 'upload', number, bytes }
    }
  }
}

async function* readUpload(db: Database, number: number): AsyncIterable<Uint8Array> {
  for (let part = 1; ; part++) {
    const at = part
    const row = await db.read(() => one(PIECE, [number, at]))
    if (!row) return
    yield row.data
  }
}
