/** Lists SQLite's primary result codes that matter to the user, and reads an error's code. */

export const RESULT = {
  busy: 5,
  locked: 6,
  readonly: 8,
  ioerr: 10,
  corrupt: 11,
  full: 13,
  cantopen: 14,
  constraint: 19,
  notadb: 26,
} as const

/** Codes by message, because an error from `all()` has no code, only SQLite's message. */
const BY_MESSAGE: readonly (readonly [string, number])[] = [
  ['database is locked', RESULT.busy],
  ['database table is locked', RESULT.locked],
  ['attempt to write a readonly database', RESULT.readonly],
  ['disk I/O error', RESULT.ioerr],
  ['database disk image is malformed', RESULT.corrupt],
  ['database or disk is full', RESULT.full],
  ['unable to open database file', RESULT.cantopen],
  ['file is not a database', RESULT.notadb],
]

/** Returns the primary result code of an error thrown by SQLite, or undefined. */
export function resultCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { errcode, sqliteCode, code, message } = error as Readonly<Record<string, unknown>>
  const given = errcode ?? sqliteCode
  if (typeof given === 'number') return given & 0xff
  if (code !== 'ERR_SQLITE_ERROR') return undefined
  return BY_MESSAGE.find(([words]) => message === words)?.[1]
}

/** Returns whether the error occurred because another handle had the lock. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error)
  return code === RESULT.busy || code === RESULT.locked
}
