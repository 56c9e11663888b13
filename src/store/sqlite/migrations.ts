/** Migrates a database file to the newest schema, and reads its current version. */
import { rmSync } from 'node:fs'
import { ServiceError } from '../../core/errors.ts'
import { shapeProblem } from './checksums/shape.ts'
import { ddlAfter, isKnownVersion, SCHEMA_VERSION } from './schema.ts'
import { copyAdvice, copyDatabase, isOutOfSpace, removeCopies, schemaCopies } from './schema-copy.ts'

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

interface MigrationOptions {
  /** Whether the file is copied first, if there is enough free space. A scratch file is already a copy. */
  readonly keepsCopy: boolean
  /** Receives a line after the migration. */
  readonly note?: ((line: string) => void) | undefined
}

/**
 * Migrates the file to the newest schema after copying it. Safe if several processes do so at once: the version is read again inside the
 * transaction, and the second process removes its copy and reports nothing. Throws ServiceError `data_too_new`, `data_damaged`,
 * `data_folder` or `disk_full`.
 */
export function migrate(file: DatabaseFile, { keepsCopy, note }: MigrationOptions): void {
  const before = schemaVersion(file)
  if (before > 0) requireShape(file, before)
  if (before === SCHEMA_VERSION) return
  let copy = before > 0 && keepsCopy ? copyDatabase(file, before) : null
  let migrated: number | undefined
  try {
    migrated = applySteps(file)
  } catch (error) {
    if (copy === null || !isOutOfSpace(error, file.path)) throw error
    rmSync(copy, { force: true })
    copy = null
    migrated = applySteps(file)
  } finally {
    // otherwise, each failed attempt, for example on a full disk, would leave another copy behind
    if (copy !== null && migrated !== before) rmSync(copy, { force: true })
  }
  if (migrated === 0 || migrated === SCHEMA_VERSION) return
  // a killed attempt, or an earlier migration of a folder that went back, left another copy
  if (copy !== null) removeCopies(file.path, { of: before, except: copy })
  note?.(migrationNote(file.path, migrated, copy))
}

/** Returns the version before the migration, which another process may have made first. */
function applySteps(file: DatabaseFile): number {
  return file.transactNow(() => {
    const found = schemaVersion(file)
    for (const sql of ddlAfter(found)) file.exec(sql)
    file.exec(`PRAGMA application_id=${APPLICATION_ID}; PRAGMA user_version=${SCHEMA_VERSION}`)
    return found
  })
}

function migrationNote(path: string, from: number, copy: string | null): string {
  const moved = `Migrated ${path} from schema ${from} to ${SCHEMA_VERSION}. An older svc cannot open it anymore.`
  return copy === null
    ? `${moved} There was not enough free space to keep a copy.`
    : `${moved} The previous database is kept as ${copy}. To go back to an older svc, ${copyAdvice(copy)}`
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
      `${file.path} was created or migrated by a newer svc (schema ${version}; this version supports up to ${SCHEMA_VERSION}). Nothing was changed.`,
      { suggestions: tooNewRemedies(file.path) },
    )
  }
  if (version > 0 && !isKnownVersion(version)) throw unreleased(file.path, version)
  return version
}

/** Returns advice for a database of a newer svc. A copy from before the migration can be used instead. */
export function tooNewRemedies(path: string): string[] {
  const copy = schemaCopies(path).find(({ version }) => version <= SCHEMA_VERSION && isKnownVersion(version))
  return [
    'Update svc, or choose another folder with --data-dir or SVC_DATA_DIR.',
    ...(copy ? [`Or continue with the database as it was before the migration: ${copyAdvice(copy.path)}`] : []),
  ]
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
