/** Migrates a database file to the newest schema, and reads its current version. */
import { rmSync } from 'node:fs'
import { ServiceError } from '../../core/errors.ts'
import { shapeProblem } from './checksums/shape.ts'
import { ddlAfter, isKnownVersion, SCHEMA_VERSION } from './schema.ts'
import { copyDatabase } from './schema-copy.ts'

/** The handle methods that a migration uses. */
export interface DatabaseFile {
  readonly path: string
  exec(sql: string): void
  get<T>(sql: string): T | undefined
  all<T>(sql: string): T[]
  transactNow<T>(callback: () => T): T
}

/** `svc1` in ASCII, which identifies a database file as ours. */
export const APPLICATION_ID = 0x73766331

/**
 * Migrates the file to the newest schema after copying it (a scratch file is already a copy). Safe if several processes do so at once: the
 * version is read again inside the transaction, and the second process removes its copy. Throws ServiceError `data_too_new`,
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
      for (const sql of ddlAfter(found)) file.exec(sql)
      file.exec(`PRAGMA application_id=${APPLICATION_ID}; PRAGMA user_version=${SCHEMA_VERSION}`)
      return found
    })
  } finally {
    // otherwise, each failed attempt, for example on a full disk, would leave another copy behind
    if (copy !== null && migrated !== before) rmSync(copy, { force: true })
  }
}

/** Writes the file's first page again without changing it. Must run inside a write. */
export function rewriteHead(file: Pick<DatabaseFile, 'exec'>): void {
  file.exec(`PRAGMA application_id=${APPLICATION_ID}`)
}

/** Throws ServiceError `data_damaged` if the tables and indexes do not match the version. */
function requireShape(file: DatabaseFile, version: number): void {
  const rows = file.all<{ name: string }>('SELECT name FROM sqlite_schema')
  // another process may have migrated it to a newer version in the meantime
  if (version < SCHEMA_VERSION && schemaVersion(file) !== version) return
  const problem = shapeProblem(new Set(rows.map(row => row.name)), version)
  if (problem !== null) throw unusable(`${file.path} is damaged: ${problem}.`)
}

function unusable(message: string): ServiceError {
  return new ServiceError('data_damaged', message, {
    body: { detail: 'The database is damaged.' },
    suggestions: [
      'Replace it with a backup of the data folder, or with a snapshot from the folder.',
      'To copy everything that is intact into a new folder and rebuild every index, run: svc engine salvage --to DIR',
    ],
  })
}

interface Identity {
  readonly version: number
  readonly id: number
  readonly tables: number
}

/** Queries the version and identity in one statement, so that the values are consistent even if another process is creating the schema. */
const IDENTITY = `SELECT user_version AS version, application_id AS id, (SELECT count(*) FROM sqlite_schema) AS tables
FROM pragma_user_version, pragma_application_id`

/** Returns the file's schema version, or 0 if the file is empty. Changes nothing. Throws ServiceError `data_too_new` or `data_damaged`. */
export function schemaVersion(file: DatabaseFile): number {
  const { version, id, tables } = file.get<Identity>(IDENTITY) as Identity
  if (id !== APPLICATION_ID && tables > 0) {
    throw new ServiceError('data_damaged', `${file.path} is a database that was not created by svc.`, {
      suggestions: ['Choose another folder with --data-dir or SVC_DATA_DIR.'],
    })
  }
  if (version < 0 || (version === 0 && tables > 0)) {
    throw unusable(`${file.path} is damaged: its schema version is ${version}.`)
  }
  if (version > SCHEMA_VERSION) {
    throw new ServiceError(
      'data_too_new',
      `${file.path} was created by a newer svc (schema ${version}; this version supports up to ${SCHEMA_VERSION}).`,
      { suggestions: ['Update svc, or choose another folder with --data-dir or SVC_DATA_DIR.'] },
    )
  }
  if (version > 0 && !isKnownVersion(version)) throw unreleased(file.path, version)
  return version
}

/** Returns the error for a database with a schema version that was never released. */
export function unreleased(path: string, version: number): ServiceError {
  return new ServiceError(
    'data_folder',
    `${path} has schema ${version}, which only unreleased versions of svc have written.`,
    {
      suggestions: [
        `Open the folder once with an svc of schema ${SCHEMA_VERSION} that still reads schema ${version}, or copy it with the svc that wrote it: svc engine copy`,
        'Or choose another folder with --data-dir or SVC_DATA_DIR.',
      ],
    },
  )
}
