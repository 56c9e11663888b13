/** A folder with programs that only report a version of PostgreSQL, for tests of the search for it. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Creates the folder, and returns its path. */
export function fakePostgres(parent: string, version: string): string {
  const programs = path.join(parent, version)
  mkdirSync(programs)
  for (const name of ['initdb', 'postgres', 'pg_basebackup', 'psql']) {
    writeFileSync(path.join(programs, name), `#!/bin/sh\necho "${name} (PostgreSQL) ${version} (Debian)"\n`)
    chmodSync(path.join(programs, name), 0o755)
  }
  return programs
}
