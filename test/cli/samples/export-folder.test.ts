/** An export is written to its folder completely or not at all, and only its owner can read it. */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkExportFolder, saveExport } from '../../../src/cli/samples/export-folder.ts'
import { temporaryFolder } from '../../kit/folder.ts'

const HEAD = '{"svc_export":1,"exported_at":"2026-11-20T12:00:00+00:00","user_id":"u","client_user_id":"ada"}\n'
const END = '{"svc_export_end":1,"samples":{"steps":2},"summaries":{"sleep":1},"streams":0}\n'
const WHOLE = `${HEAD}{"resource":"steps"}\n{"resource":"steps"}\n{"summary":"sleep"}\n${END}`

async function* pieces(text: string, sizeBytes = 7): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += sizeBytes) yield Buffer.from(text.slice(at, at + sizeBytes))
}
const save = (folder: string, bytes: AsyncIterable<Uint8Array> | Uint8Array, signal = new AbortController().signal) =>
  saveExport(folder, bytes, signal, () => {})
const fileMode = (path: string): string => (statSync(path).mode & 0o777).toString(8)

describe('an export folder', () => {
  it.each([1, 7, 100_000])('contains the data, the user and the counts, read in pieces of %d bytes', async size => {
    const folder = join(temporaryFolder(), 'a', 'b')
    expect(await save(folder, pieces(WHOLE, size))).toMatchObject({
      folder,
      user_id: 'u',
      samples: { steps: 2 },
      summaries: { sleep: 1 },
      streams: 0,
      bytes: WHOLE.length,
    })
    expect(readFileSync(join(folder, 'data.ndjson'), 'utf8')).toBe(WHOLE)
    expect(JSON.parse(readFileSync(join(folder, 'user.json'), 'utf8'))).toEqual({ user_id: 'u', client_user_id: 'ada' })
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
    const sha256 = createHash('sha256').update(WHOLE).digest('hex')
    expect(manifest).toMatchObject({ samples: { steps: 2 }, files: { 'data.ndjson': { bytes: WHOLE.length, sha256 } } })
    expect(readdirSync(folder).sort()).toEqual(['data.ndjson', 'manifest.json', 'user.json'])
    if (process.platform === 'win32') return
    expect(fileMode(folder)).toBe('700')
    for (const name of readdirSync(folder)) expect(fileMode(join(folder, name)), name).toBe('600')
  })

  it.each([
    ['without its end', WHOLE.slice(0, -END.length)],
    ['with half its end', WHOLE.slice(0, -2)],
    ['without its beginning', END],
    ['without anything', ''],
    ['of something else', '<html>\n'],
  ])('contains no part of an export %s', async (_, text) => {
    const folder = join(temporaryFolder(), 'out')
    await expect(save(folder, pieces(text))).rejects.toMatchObject({ code: 'bad_response' })
    expect(readdirSync(folder)).toEqual([])
  })

  it('keeps the previous export when the new one fails or is cancelled', async () => {
    const folder = join(temporaryFolder(), 'out')
    await save(folder, pieces(WHOLE))
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(HEAD)
      throw new Error('the connection is gone')
    }
    await expect(save(folder, breaking())).rejects.toThrow('the connection is gone')
    const controller = new AbortController()
    controller.abort()
    await expect(save(folder, pieces(WHOLE), controller.signal)).rejects.toMatchObject({ code: 'cancelled' })
    expect(readFileSync(join(folder, 'data.ndjson'), 'utf8')).toBe(WHOLE)
    expect(readdirSync(folder)).toHaveLength(3)
  })

  it('must be new or empty, except for leftovers of a killed export, which are removed', async () => {
    const parent = temporaryFolder()
    const folder = join(parent, 'out')
    expect(await checkExportFolder(folder, false)).toBe(folder)
    mkdirSync(folder)
    writeFileSync(join(folder, '.data.ndjson.999999999.part'), 'left over')
    expect(await checkExportFolder(folder, false)).toBe(folder)
    await save(folder, pieces(WHOLE))
    expect(readdirSync(folder)).toHaveLength(3)
    await expect(checkExportFolder(folder, false)).rejects.toMatchObject({
      code: 'usage',
      suggestions: [expect.stringContaining('--force')],
    })
    expect(await checkExportFolder(folder, true)).toBe(folder)
    await expect(checkExportFolder(join(folder, 'user.json'), true)).rejects.toMatchObject({ code: 'usage' })
    await expect(checkExportFolder('', true)).rejects.toMatchObject({ code: 'usage' })
  })
})
