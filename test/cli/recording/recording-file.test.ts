/** A recording file contains complete entries only, wherever the connection breaks. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { RecordingFile } from '../../../src/cli/recording/recording-file.ts'
import { temporaryFolder } from '../../kit/folder.ts'

const folder = temporaryFolder()

async function* sent(pieces: readonly string[], failure?: Error): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece)
  if (failure) throw failure
}

it('accepts lines in pieces of any size and tracks the last complete entry', async () => {
  const path = join(folder, 'whole')
  const file = await RecordingFile.create(path)
  expect(await file.addHead(sent(['{"svc_rec', 'ording":1}\n{"base":"x"}\n']))).toBe('{"svc_recording":1}\n')
  const text = '{"number":1,"a":"ü"}\n{"number":2,"pieces":1}\n{"number":2,"upload":"eA=="}\n'
  const bytes = Buffer.from(text)
  const pieces = Array.from(bytes, (_, i) => bytes.subarray(i, i + 1))
  const one = (async function* () {
    yield* pieces
  })()
  expect(await file.addEntries(one)).toBe(2)
  await file.end({ end: {} })
  await file.close()
  expect(readFileSync(path, 'utf8')).toBe(`{"svc_recording":1}\n{"base":"x"}\n${text}{"end":{}}\n`)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

it('removes the start of an incomplete entry', async () => {
  const path = join(folder, 'broken')
  const file = await RecordingFile.create(path)
  await file.addHead(sent(['{"svc_recording":1}\n']))
  const large = 'x'.repeat(2 << 20)
  const begun = ['{"number":1}\n{"number":2,"pieces":2}\n', `{"number":2,"upload":"${large}"}\n`]
  await expect(file.addEntries(sent(begun, new Error('cut')))).rejects.toThrow('cut')
  expect(file.entry).toBe(1)
  await expect(file.addEntries(sent(['{"number":2']))).rejects.toMatchObject({ code: 'bad_response' })
  expect(await file.addEntries(sent(['{"number":2}\n']))).toBe(1)
  await file.close()
  expect(readFileSync(path, 'utf8')).toBe('{"svc_recording":1}\n{"number":1}\n{"number":2}\n')
})

it('never replaces an existing file', async () => {
  const path = join(folder, 'there')
  writeFileSync(path, 'mine')
  await expect(RecordingFile.create(path)).rejects.toMatchObject({ code: 'conflict' })
  await expect(RecordingFile.create(join(folder, 'no', 'folder'))).rejects.toMatchObject({ code: 'usage' })
  expect(readFileSync(path, 'utf8')).toBe('mine')
})
