/** Creates a recording and manages it from start to end. It exists as long as a client reads it. See docs/testing-your-app.md. */
import { createReadStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createGzip } from 'node:zlib'
import { RECORDING_FORM, RECORDING_MEDIA_TYPE } from '../../contract/engine/recording.ts'
import type { BytesReply } from '../../contract/kernel/operation.ts'
import { ServiceError } from '../../core/errors.ts'
import { randomUuid } from '../../core/random.ts'
import { formatInstant, MINUTE_MS } from '../../core/time.ts'
import { scratchName } from '../../store/folder/data-folder.ts'
import type { CallContext, EngineContext, Handler } from '../context.ts'
import { ok } from '../context.ts'

/** Real time without a request after which the reader is considered gone. Otherwise, nothing would end the recording. */
export const READER_LIFE_MS = MINUTE_MS
/** Size at which a response ends. */
const MOST_RESPONSE_BYTES = 16 << 20
/** Number of bytes of packed state in each line. */
const BASE_LINE_BYTES = 768 * 1024

export const getRecording: Handler<'recording.get'> = async engine => {
  const state = await engine.store.recordings.state(engine.time.now())
  return ok({ recording_id: state?.recordingId ?? null, entries: state?.last ?? 0 })
}

export const startRecording: Handler<'recording.start'> = async (engine, _input, call) => {
  const recordingId = randomUuid(engine.random)
  const real = engine.time.now()
  call.about('recording_id', recordingId)
  if (!(await engine.store.recordings.start(recordingId, real, real + READER_LIFE_MS))) {
    throw new ServiceError('conflict', 'A recording is already running.', {
      suggestions: ['End it (Ctrl-C where it runs). A recording that nobody reads ends by itself after a minute.'],
    })
  }
  const base = join(engine.scratchDir, scratchName('snapshot'))
  try {
    const after = await engine.store.recordings.copyTo(base, { real, now: call.now })
    const head = {
      svc_recording: RECORDING_FORM,
      recording_id: recordingId,
      at: formatInstant(call.now),
      real,
      seed: engine.seed,
      after,
      base_bytes: (await stat(base)).size,
    }
    return lines(headLines(head, base, call))
  } catch (error) {
    await rm(base, { force: true })
    await engine.store.recordings.stop(recordingId, Number.MAX_SAFE_INTEGER)
    throw error
  }
}

async function* headLines(head: object, base: string, { signal }: CallContext): AsyncGenerator<Uint8Array> {
  try {
    yield line(head)
    let held: Buffer[] = []
    let heldBytes = 0
    for await (const piece of createReadStream(base).pipe(createGzip({ level: 6 }))) {
      signal?.throwIfAborted()
      held.push(piece as Buffer)
      heldBytes += (piece as Buffer).length
      if (heldBytes < BASE_LINE_BYTES) continue
      yield line({ base: Buffer.concat(held).toString('base64') })
      held = []
      heldBytes = 0
    }
    if (heldBytes > 0) yield line({ base: Buffer.concat(held).toString('base64') })
  } finally {
    await rm(base, { force: true })
  }
}

export const readRecording: Handler<'recording.read'> = async (engine, { params, body }) => {
  const { recordings } = engine.store
  const real = engine.time.now()
  const { recording_id: recordingId } = params
  const state = await recordings.keepAlive(recordingId, body.after, { real, aliveUntil: real + READER_LIFE_MS })
  // entries written before the end can still be read until stopping the recording removes them
  if (state === null || (!state.isOn && body.after >= state.last)) throw noSuchRecording()
  return lines(entryLines(engine, recordingId, body.after))
}

async function* entryLines(engine: EngineContext, recordingId: string, after: number): AsyncGenerator<Uint8Array> {
  for await (const piece of engine.store.recordings.read(recordingId, after, MOST_RESPONSE_BYTES)) {
    if (piece.kind === 'line') yield Buffer.from(`${piece.text}\n`)
    else yield line({ number: piece.number, upload: Buffer.from(piece.bytes).toString('base64') })
  }
}

export const stopRecording: Handler<'recording.stop'> = async (engine, { params, body }, call) => {
  const stopped = await engine.store.recordings.stop(params.recording_id, body.read)
  if (stopped === null) throw noSuchRecording()
  return ok({
    recording_id: stopped.recordingId,
    entries: stopped.last,
    at: formatInstant(call.now),
    done: stopped.isRemoved,
  })
}

function noSuchRecording(): ServiceError {
  return new ServiceError(
    'not_found',
    'There is no such recording: it has ended, or the store was reset or restored.',
    {
      suggestions: ['Everything that was written until then can be replayed.'],
    },
  )
}

function line(value: object): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`)
}

function lines(bytes: AsyncIterable<Uint8Array>): BytesReply {
  return { kind: 'bytes', status: 200, headers: {}, mediaType: RECORDING_MEDIA_TYPE, bytes }
}
