/**
 * Determines which tables and indexes a database with a given version must contain. A missing table or index is damage, which is found when
 * the file is opened.
 */
import { SCHEMA_VERSION, schemaStatements } from '../schema.ts'

const STEPS =
  /CREATE TABLE (\w+)|CREATE (?:UNIQUE )?INDEX (\w+) ON (\w+)|CREATE TRIGGER (\w+)|DROP TABLE (\w+)|DROP INDEX (\w+)|ALTER TABLE (\w+) RENAME TO (\w+)/g

/** Returns the names and types of all tables, indexes and triggers in this version. */
export function schemaObjects(version: number): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const tableOf = new Map<string, string>()
  for (const sql of schemaStatements(version)) {
    for (const [, table, index, on, trigger, dropped, unindexed, from, to] of sql.matchAll(STEPS)) {
      if (table !== undefined) names.set(table, 'table')
      if (trigger !== undefined) names.set(trigger, 'trigger')
      if (index !== undefined && on !== undefined) {
        names.set(index, 'index')
        tableOf.set(index, on)
      }
      if (dropped !== undefined) {
        names.delete(dropped)
        for (const [name, its] of tableOf) if (its === dropped) names.delete(name)
      }
      if (unindexed !== undefined) names.delete(unindexed)
      if (from !== undefined && to !== undefined) {
        names.delete(from)
        names.set(to, 'table')
      }
    }
  }
  return names
}

/** Describes tables and indexes that a file lacks for its version or that belong to a later version. Returns null if there are none. */
export function shapeProblem(found: ReadonlySet<string>, version: number): string | null {
  const own = schemaObjects(version)
  const missing = [...own].filter(([name]) => !found.has(name)).map(([name, kind]) => `${kind} ${name}`)
  if (missing.length > 0) return `its ${missing.slice(0, 3).join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`
  if (version === SCHEMA_VERSION) return null
  const later = [...schemaObjects(SCHEMA_VERSION).keys()].some(name => !own.has(name) && found.has(name))
  return later ? `it claims to have schema ${version}, but has a later one` : null
}
