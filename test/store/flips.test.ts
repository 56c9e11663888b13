/**
 * A thousand one-bit flips. In rows of user data, none leads to a wrong result or a missing row, before or after a write to the same day.
 * Anywhere else in the file and in its log, none causes a hang, a crash or an apparent bug.
 */

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { Stream } from '../../src/core/random.ts'
import { root } from '../kit/sandbox.ts'
import { seed } from '../kit/seed.ts'
import { type Field, openField } from './flips/bases.ts'
import type { CellRange } from './flips/cells.ts'
import type { Flip } from './flips/child.ts'
import { type Fate, Judge } from './flips/crew.ts'

/** `SVC_TEST_SEED` repeats a run, `FLIPS` sets the number of flips. */
const FLIPS = Number(process.env['FLIPS'] ?? 1_000)
const IN_ROWS = Math.round(FLIPS * 0.6)

const judges: Judge[] = []
afterAll(() => {
  for (const judge of judges) judge.close()
})

describe(`flips of one bit (repeat with SVC_TEST_SEED=${seed})`, () => {
  it('are detected in rows of user data, and never cause a hang, a crash or an apparent bug', async () => {
    const { bundled } = await import(pathToFileURL(join(root, 'test', 'bench', 'bundle.mjs')).href)
    const { path } = await bundled('../store/flips/child.ts')
    const names = ['data-folder-v3', 'data-folder-v4', 'data-folder-v5']
    const fields = await Promise.all([
      ...names.map(name => openField(name, { hasLog: false })),
      openField('data-folder-v5', { hasLog: true }),
    ])
    const draw = drawer(fields)
    const flips = Array.from({ length: FLIPS }, (_, i) => (i < IN_ROWS ? draw.inRow() : draw.elsewhere()))
    const fates = await judged(path, fields, flips)
    const told = (i: number): string => `flip ${i} ${JSON.stringify(flips[i])} ${draw.places[i]}`
    const wrong = fates.flatMap((fate, i) =>
      typeof fate === 'string' || i >= IN_ROWS ? [] : fate.wrong.map(each => `${told(i)}: ${each}`),
    )
    const bugs = fates.flatMap((fate, i) =>
      typeof fate === 'string' ? [`${told(i)} ${fate}`] : fate.bugs.map(each => `${told(i)}: ${each}`),
    )
    report('rows of user data', fates.slice(0, IN_ROWS))
    report('anywhere else, and the log', fates.slice(IN_ROWS))
    expect(bugs).toEqual([])
    expect(wrong).toEqual([])
  }, 600_000)
})

async function judged(path: string, fields: readonly Field[], flips: readonly Flip[]): Promise<Fate[]> {
  const fates: Fate[] = []
  let next = 0
  const work = async (judge: Judge): Promise<void> => {
    for (let i = next++; i < flips.length; i = next++) fates[i] = await judge.judge(flips[i] as Flip)
  }
  // two processes, each with its own folders
  for (let k = 0; k < 2; k++) {
    const own = await Promise.all(fields.map(async field => ({ ...field, folder: await ownFolder(field.folder) })))
    judges.push(
      new Judge(
        path,
        own.map(({ tables: _, owners: __, ...base }) => base),
      ),
    )
  }
  await Promise.all(judges.map(work))
  return fates
}

async function ownFolder(folder: string): Promise<string> {
  const { cpSync } = await import('node:fs')
  const { temporaryFolder } = await import('../kit/folder.ts')
  const own = temporaryFolder()
  cpSync(folder, own, { recursive: true })
  return own
}

function report(where: string, fates: readonly Fate[]): void {
  const verdicts = fates.filter(fate => typeof fate !== 'string')
  const count = (isIt: (fate: (typeof verdicts)[number]) => boolean): number => verdicts.filter(isIt).length
  const found = count(each => each.isFound === true)
  const checked = count(each => each.isFound !== null)
  console.log(
    `seed ${seed}: ${fates.length} flips in ${where}: ${count(each => each.isDamaged)} refused as damaged, ` +
      `${count(each => each.wrong.length > 0)} led to another answer, ` +
      `${found} of ${checked} found by check (${((100 * found) / checked).toFixed(1)} %), ` +
      `${count(each => !each.isOpened)} kept the folder from being opened`,
  )
}

function drawer(fields: readonly Field[]) {
  const random = new Stream(seed)
  const below = (n: number): number => Math.floor(random.next() * n)
  const positions: string[] = []
  const flip = (base: number, at: number, isChecked = true, file: Flip['file'] = 'svc.db'): Flip => ({
    base,
    file,
    at,
    bit: below(8),
    table: file === 'svc.db' ? tableAt(fields[base] as Field, at) : null,
    isChecked,
  })
  const quiet = fields.flatMap((field, i) => (field.wal === null ? [i] : []))
  const rows = fields.map(field => rowMap(field))
  return {
    places: positions,
    /** Picks a table, a row and one of its bytes; half of the time among the first, where the head of the row is. */
    inRow(): Flip {
      const base = quiet[below(quiet.length)] as number
      const { tables } = fields[base] as Field
      const cells = tables[below(tables.length)] as readonly (readonly CellRange[])[]
      const parts = cells[below(cells.length)] as readonly CellRange[]
      const all = parts.reduce((sum, each) => sum + each.bytes, 0)
      let at = below(below(2) === 0 ? Math.min(all, 40) : all)
      const part = parts.find(each => {
        if (at < each.bytes) return true
        at -= each.bytes
        return false
      }) as CellRange
      positions.push(`${part.table}+${at}`)
      return flip(base, part.from + at, below(4) === 0)
    },
    elsewhere(): Flip {
      const base = below(fields.length)
      const { database, wal } = fields[base] as Field
      if (wal !== null && below(2) === 0) {
        positions.push('log')
        return flip(base, below(wal.length), true, 'svc.db-wal')
      }
      for (;;) {
        const at = below(database.length)
        if (rows[base]?.[at] === 1) continue
        positions.push('elsewhere')
        return flip(base, at)
      }
    },
  }
}

function tableAt({ owners, pageSize }: Field, at: number): string | null {
  return owners.get(1 + Math.floor(at / pageSize)) ?? null
}

/** Returns a map with one entry per byte of the file: 1 if a row of user data is there. */
function rowMap({ database, tables }: Field): Uint8Array {
  const map = new Uint8Array(database.length)
  for (const { from, bytes } of tables.flat(2)) map.fill(1, from, from + bytes)
  return map
}
