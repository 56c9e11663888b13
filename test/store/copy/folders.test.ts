/** A store that is copied from one data folder to another: what the copy holds, and what is refused. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ServiceError } from '../../../src/core/errors.ts'
import { COPIED_TABLES, LEFT_OUT } from '../../../src/store/copy/tables.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { copied, copyOf, filledFolder, newFolder, openFolder, problemsOf, rowsOfFolder, settingsOf } from './stores.ts'

let source: string

beforeAll(async () => {
  source = await filledFolder()
})

const refusal = (copy: Promise<unknown>): Promise<ServiceError> =>
  copy.then(
    () => expect.fail('nothing was refused'),
    error => error,
  )

describe('a copy', () => {
  it('names every table of the store', () => {
    const known = [...COPIED_TABLES.map(({ table }) => table), ...LEFT_OUT, 'sqlite_sequence']
    expect([...rowsOfFolder(source).keys()].filter(table => !known.includes(table))).toEqual([])
  })

  it('is made of data in every table', () => {
    const empty = [...copied(rowsOfFolder(source))].filter(([, rows]) => rows.length === 0)
    expect(empty.map(([table]) => table)).toEqual([])
  })

  it('has the same rows and settings, and passes the check', async () => {
    const to = newFolder()
    const before = rowsOfFolder(source)
    const report = await copyOf(source, to)
    expect(report).toMatchObject({ from: source, to, isContinued: false, users: before.get('user')?.length })
    const after = rowsOfFolder(to)
    expect(copied(after)).toEqual(copied(before))
    expect(settingsOf(after)).toEqual(settingsOf(before))
    expect(rowsOfFolder(source)).toEqual(before)
    const engine = await openFolder(to)
    expect(await problemsOf(engine)).toEqual([])
    await engine.close()
  })
})
