/** A copy of the whole store at one moment, sent from a scratch file that has no name any more. */
import { createReadStream, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SNAPSHOT_MEDIA_TYPE } from '../../contract/engine.ts'
import { scratchName } from '../../store/data-folder.ts'
import type { Handler } from '../context.ts'

const PIECE_BYTES = 256 * 1024

export const makeSnapshot: Handler<'engine.snapshot'> = async (engine, _input, call) => {
  const path = join(engine.scratchDir, scratchName('snapshot'))
  await engine.store.snapshots.copyTo(path, call.now)
  const fd = openSync(path, 'r')
  // gone with whoever reads it, however that ends
  rmSync(path)
  const signal = call.signal ? { signal: call.signal } : {}
  const bytes = createReadStream('', { fd, highWaterMark: PIECE_BYTES, ...signal })
  // who reads is told; when nobody does any more, nobody needs to be
  bytes.on('error', () => {})
  return { kind: 'bytes', status: 200, headers: {}, mediaType: SNAPSHOT_MEDIA_TYPE, bytes }
}
