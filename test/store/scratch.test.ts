/** The next command removes the files that killed and failed imports left in the scratch folder, and nothing else. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openDataFolder, scratchName } from '../../src/store/folder/data-folder.ts'
import { temporaryFolder } from '../kit/folder.ts'

/** Returns the ID of a process that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '0']).pid
}

it('removes files of ended processes at once, and keeps those that may belong to a running one', () => {
  const folder = temporaryFolder()
  const { scratch } = openDataFolder(folder)
  const [kind, pid, scope, random] = scratchName('import').split('-')
  expect(Number(pid)).toBe(process.pid)
  const dead = deadPid()
  const file = (name: string, ageMs = 0): string => {
    const path = join(scratch, name)
    writeFileSync(path, '')
    const at = (Date.now() - ageMs) / 1000
    utimesSync(path, at, at)
    return name
  }
  const gone = [
    file(`${kind}-${dead}-${scope}-${random}.db`),
    file(`upload-${dead}-${scope}-${random}`),
    // of an older version, or another container: judged by age
    file(`import-${dead}-${random}.db`, 6 * 60_000),
    file(`import-${dead}-0badf00d-${random}.db`, 6 * 60_000),
  ]
  const kept = [
    file(`${kind}-${process.pid}-${scope}-${random}.db`, 60 * 60_000),
    file(`import-${dead}-0badf00d-${random}-1.db`),
    file(`import-${dead}-${random}-2.db`),
    file('notes.txt', 60 * 60_000),
  ]
  openDataFolder(folder)
  expect(readdirSync(scratch).sort()).toEqual(kept.sort())
  for (const name of gone) expect(existsSync(join(scratch, name))).toBe(false)
})
