/** Brings a database file to the newest schema, and tells which one it has. */
import { rmSync } from 'node:fs'
import { ServiceError } from '../../core/errors.ts'
import { shapeProblem } from './checksums/shape.ts'
import { VERSIONS } from './schema.ts'
import { copyDatabase } from './schema-copy.ts'

/** What a migration needs of a connection. */
export interface DatabaseFile {
  readonly path: string
  exec(sql: string): void
  get<T>(sql: string): T | undefined
  all<T>(sql: string): T[]
  transactNow<T>(body: () => T): T
}

/** `svc1` in ASCII: marks a database file as ours. */
export const APPLICATION_ID = 0x73766331

export const SCHEMA_VERSION = VERSIONS.length

/**
 * Brings the file to the newest schema, after a copy of what was there (a scratch file is one already). Safe with several processes at once: the version is
 * read again inside the transaction, and who comes second takes its copy away. Throws ServiceError `data_too_new`,
 * `data_damaged`, `data_folder` or `disk_full`.
 */
export function migrate(file: DatabaseFile, { keepsCopy }: { readonly keepsCopy: boolean }): void {
  const before = schemaVersion(file)
  if (before > 0) requireShape(file, before)
  if (before === SCHEMA_VERSION) return
  const copy = before > 0 && keepsCopy ? copyDatabase(file, before) : null
  let migrated: number | undefined
  try {
    migrated = file.transactNow(() => {
      const found = schemaVersion(file)
      for (const sql of VERSIONS.slice(found)) file.exec(sql)
      file.exec(`PRAGMA application_id=${APPLICATION_ID}; PRAGMA user_version=${SCHEMA_VERSION}`)
      return found
    })
  } finally {
    // else each try on a full disk, say, would leave one more
    if (copy !== null && migrated !== before) rmSync(copy, { force: true })
  }
}

/** Inside a write: writes the first page of the file anew, as it is. */
export function rewriteHead(file: Pick<DatabaseFile, 'exec'>): void {
  file.exec(`PRAGMA application_id=${APPLICATION_ID}`)
}

/** Throws ServiceError `data_damaged`. */
function requireShape(file: DatabaseFile, version: number): void {
  const rows = file.all<{ name: string }>('SELECT name FROM sqlite_schema')
  // another process may have brought it to a newer version meanwhile
  if (version < SCHEMA_VERSION && schemaVersion(file) !== version) return
  const problem = shapeProblem(new Set(rows.map(row => row.name)), version)
  if (problem !== null) throw unusable(`${file.path} is damaged: ${problem}.`)
}

function unusable(message: string): ServiceError {
  return new ServiceError('data_damaged', message, {
    body: { detail: 'The database is damaged.' },
    suggestions: [
      'Put a copy of the data folder, or of a snapshot in it, in its place.',
      '`svc engine salvage --to DIR` copies everything that is sound into a new folder, where each index is made anew.',
    ],
  })
}

interface Identity {
  readonly version: number
  readonly id: number
  readonly tables: number
}

/** In one statement, and so of one moment: another process may be making the schema. */
const IDENTITY = `SELECT user_version AS version, application_id AS id, (SELECT count(*) FROM sqlite_schema) AS tables
FROM pragma_user_version, pragma_application_id`

/** Version of the schema in the file, 0 when it is empty; changes nothing. Throws ServiceError `data_too_new` or `data_damaged`. */
export function schemaVersion(file: DatabaseFile): number {
  const { version, id, tables } = file.get<Identity>(IDENTITY) as Identity
  if (id !== APPLICATION_ID && tables > 0) {
    throw new ServiceError('data_damaged', `${file.path} is a database, but not one of svc.`, {
      suggestions: ['Choose another folder with --data-dir or SVC_DATA_DIR.'],
    })
  }
  if (version < 0 || (version === 0 && tables > 0)) {
    throw unusable(`${file.path} is damaged: its schema version is ${version}.`)
  }
  if (version > SCHEMA_VERSION) {
    throw new ServiceError(
      'data_too_new',
      `${file.path} was made by a newer svc (schema ${version}; this one knows up to ${SCHEMA_VERSION}).`,
      { suggestions: ['Update svc, or choose another folder with --data-dir or SVC_DATA_DIR.'] },
    )
  }
  return version
}
