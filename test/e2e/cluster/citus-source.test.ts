/** `scripts/citus/build.mjs`: Citus from its source. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { mendSource } from '../../../scripts/citus/source.mjs'
import { temporaryFolder } from '../../kit/folder.ts'
import { root } from '../../kit/sandbox.ts'
import { refusedBy } from './started-script.ts'

const SCRIPT = path.join(root, 'scripts', 'citus', 'build.mjs')

const BEFORE = '#include "miscadmin.h"\n\n\n'
const OWN = `static inline bool
have_createdb_privilege(void)
{
	bool result = false;

	if (superuser())
	{
		return true;
	}
	return result;
}
`
const AFTER = '\n\ntypedef bool TU_UpdateIndexes;\n\n#endif\n'

function write(file: string, text: string): string {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

/** Mends a source tree for a server whose header contains this text. */
function mend(serverHeader: string): { readonly isChanged: boolean; readonly text: string; again(): boolean } {
  const [source, headers] = [temporaryFolder(), temporaryFolder()]
  const file = write(path.join(source, 'src/include/pg_version_compat.h'), `${BEFORE}${OWN}${AFTER}`)
  write(path.join(headers, 'commands/dbcommands.h'), serverHeader)
  const isChanged = mendSource(source, headers)
  return { isChanged, text: readFileSync(file, 'utf8'), again: () => mendSource(source, headers) }
}

describe('the source of Citus', () => {
  it('loses the function that the server exports, once', () => {
    const { isChanged, text, again } = mend('extern bool have_createdb_privilege(void);\n')
    expect([isChanged, text]).toEqual([true, `${BEFORE}#include "commands/dbcommands.h"\n${AFTER}`])
    expect(again()).toBe(false)
  })

  it('stays as it is for a server without this function', () => {
    expect(mend('extern Oid createdb(void);\n')).toMatchObject({ isChanged: false, text: `${BEFORE}${OWN}${AFTER}` })
  })

  it('is not built from another folder, or without one', () => {
    const folder = temporaryFolder()
    const message = `${folder} is not a source tree of Citus: it has no configure script.\n`
    expect(refusedBy(SCRIPT, [folder])).toEqual({ status: 2, stderr: message })
    expect(refusedBy(SCRIPT, [])).toEqual({ status: 2, stderr: 'Use: node scripts/citus/build.mjs SOURCE\n' })
  })
})
