/** Takes snapshots: sends them to the caller, or stores them under a name so that they can be restored later. */
import { createReadStream, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SNAPSHOT_MEDIA_TYPE } from '../../contract/engine/engine.ts'
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { clockAt } from '../../core/clock.ts'
import { ServiceError } from '../../core/errors.ts'
import { formatInstant } from '../../core/time.ts'
import { scratchName } from '../../store/folder/data-folder.ts'
import type { Replaced, SnapshotMoment, SnapshotRecord } from '../../store/snapshot.ts'
import { type CallContext, done, type EngineContext, type Handler, ok } from '../context.ts'

const PIECE_BYTES = 256 * 1024

/** Sends a snapshot from a scratch file whose name has already been deleted. */
export const makeSnapshot: Handler<'engine.snapshot'> = async (engine, _input, call) => {
  const path = join(engine.scratchDir, scratchName('snapshot'))
  await engine.store.snapshots.copyTo(path, snapshotMoment(engine, call))
  const fd = openSync(path, 'r')
  // the file is deleted when its reader is closed for any reason
  rmSync(path)
  const signal = call.signal ? { signal: call.signal } : {}
  const bytes = createReadStream('', { fd, highWaterMark: PIECE_BYTES, ...signal })
  // the stream reports errors to its reader; without a reader, they do not matter
  bytes.on('error', () => {})
  return { kind: 'bytes', status: 200, headers: {}, mediaType: SNAPSHOT_MEDIA_TYPE, bytes }
}

export const saveSnapshot: Handler<'snapshot.save'> = async (engine, { body }, call) => {
  const saved = await engine.store.snapshots.save(body.name, snapshotMoment(engine, call), body.replace)
  if (saved !== null) return ok(snapshotView(saved))
  throw new ServiceError('conflict', 'There is already a snapshot with that name.', {
    suggestions: ['Choose another name, or replace the snapshot (--force).'],
  })
}

export const listSnapshots: Handler<'snapshot.list'> = async engine =>
  ok({ snapshots: (await engine.store.snapshots.list()).map(snapshotView) })

export const restoreSnapshot: Handler<'snapshot.restore'> = async (engine, { params: { name } }, call) => {
  const replaced = await cancellable(call, () => engine.store.snapshots.restore(name, call.signal))
  if (replaced === null) throw noSuchSnapshot()
  return ok({ name, ...(await replacedView(engine, replaced)) })
}

export const deleteSnapshot: Handler<'snapshot.delete'> = async (engine, { params: { name } }) => {
  if (!(await engine.store.snapshots.remove(name))) throw noSuchSnapshot()
  return done()
}

/** Returns the current time, and the number of users before and after the restore. */
export async function replacedView(engine: EngineContext, { usersBefore, usersAfter, epoch }: Replaced) {
  const state = await engine.store.clock.read()
  return {
    users_before: usersBefore,
    users_after: usersAfter,
    epoch,
    clock: formatInstant(clockAt(state, engine.time.now())),
    frozen: state.frozenAt !== null,
  }
}

/**
 * Runs a change either completely or not at all. Throws ServiceError `cancelled` if the caller has disconnected before the change starts.
 */
export async function cancellable<T>({ signal }: CallContext, change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    if (!signal?.aborted || error instanceof ServiceError) throw error
    throw new ServiceError('cancelled', 'Cancelled: nothing was changed.', { cause: error })
  }
}

function snapshotMoment(engine: EngineContext, { now }: CallContext): SnapshotMoment {
  return { real: engine.time.now(), now }
}

function noSuchSnapshot(): ServiceError {
  return new ServiceError('not_found', 'There is no snapshot with that name.', {
    suggestions: ['`svc engine snapshot list` shows the snapshots.'],
  })
}

function snapshotView(record: SnapshotRecord): ReplyBody<Operations['snapshot.save']> {
  return {
    name: record.name,
    saved_at: formatInstant(record.savedAt),
    clock: formatInstant(record.now),
    frozen: record.isFrozen,
    users: record.users,
    size_bytes: record.bytes,
    schema_version: record.schemaVersion,
  }
}
