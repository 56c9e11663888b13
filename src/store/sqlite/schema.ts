/**
 * Lists the schema versions. The newest version is derived from the table catalogue. Older versions, and the migrations between them, are
 * texts that are never edited after they are released.
 */
import { NEW_DATABASE } from './schema/tables.ts'
import { VERSION_1 } from './schema/version-1.ts'
import { VERSION_2 } from './schema/version-2.ts'
import { VERSION_3 } from './schema/version-3.ts'
import { VERSION_4 } from './schema/version-4.ts'
import { VERSION_5 } from './schema/version-5.ts'
import { VERSION_6 } from './schema/version-6.ts'
import { VERSION_10 } from './schema/version-10.ts'
import { VERSION_11 } from './schema/version-11.ts'
import { VERSION_12 } from './schema/version-12.ts'
import { VERSION_13 } from './schema/version-13.ts'
import { VERSION_14 } from './schema/version-14.ts'

/** A schema version, and the statements that migrate a database to it from the previous version. */
interface Step {
  readonly version: number
  readonly sql: string
}

/** Steps from version to version. Version 1 begins with an empty file. Versions 7 to 9 were never released and cannot be opened. */
export const STEPS: readonly Step[] = [
  { version: 1, sql: VERSION_1 },
  { version: 2, sql: VERSION_2 },
  { version: 3, sql: VERSION_3 },
  { version: 4, sql: VERSION_4 },
  { version: 5, sql: VERSION_5 },
  { version: 6, sql: VERSION_6 },
  { version: 10, sql: VERSION_10 },
  { version: 11, sql: VERSION_11 },
  { version: 12, sql: VERSION_12 },
  { version: 13, sql: VERSION_13 },
  { version: 14, sql: VERSION_14 },
]

export const SCHEMA_VERSION = 14

/** Returns whether a database with this version can be opened. */
export function isKnownVersion(version: number): boolean {
  return STEPS.some(step => step.version === version)
}

/** Returns the statements that create a database with a known version from an empty file. */
export function schemaStatements(version: number): readonly string[] {
  if (version === SCHEMA_VERSION) return [NEW_DATABASE]
  return STEPS.filter(step => step.version <= version).map(({ sql }) => sql)
}

/** Returns the migrations from a known version to the newest one. Version 0 is an empty file. */
export function ddlAfter(version: number): readonly string[] {
  if (version === 0) return [NEW_DATABASE]
  return STEPS.filter(step => step.version > version).map(({ sql }) => sql)
}
