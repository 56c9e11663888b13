/** A source tree of Citus: whether it is one, and the header that does not compile with every PostgreSQL. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const COMPATIBILITY = path.join('src', 'include', 'pg_version_compat.h')
const INCLUDE = '#include "commands/dbcommands.h"'

/** A function that Citus defines for PostgreSQL 15, because the server did not export it. */
const OWN = /^static inline bool\nhave_createdb_privilege\(void\)\n\{\n[\s\S]*?^\}\n/m

/** Returns whether a folder contains the source of Citus. */
export function isSource(folder) {
  return [COMPATIBILITY, 'configure'].every(file => existsSync(path.join(folder, file)))
}

/**
 * Removes the definition of a function that the server has exported since PostgreSQL 15.20, where both together do not compile. Returns
 * whether it was there. `headers` is the folder with the headers of the server.
 */
export function mendSource(folder, headers) {
  const file = path.join(folder, COMPATIBILITY)
  const before = readFileSync(file, 'utf8')
  const after = mended(before, readFileSync(path.join(headers, 'commands', 'dbcommands.h'), 'utf8'))
  if (after !== before) writeFileSync(file, after)
  return after !== before
}

/** Returns the header of Citus without the function, if the header of the server declares it. */
export function mended(text, serverHeader) {
  return serverHeader.includes('have_createdb_privilege') ? text.replace(OWN, () => `${INCLUDE}\n`) : text
}
