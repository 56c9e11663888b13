/** Records into a file until it is stopped, or until nothing has happened for a while. */
import { setTimeout as delay } from 'node:timers/promises'
import type { ServiceClient } from '../../client/client.ts'
import { ServiceError } from '../../core/errors.ts'
import { requireBytes } from '../output/response-bytes.ts'
import { isObject, tryParseJson } from '../runtime/json-text.ts'
import { RecordingFile } from './recording-file.ts'

/** Wait between polls. It is short after entries have arrived, and then increases. */
const LOOK_MS = 250
const MOST_LOOK_MS = 2_000
const NO_RECORDING = 'The response is not a recording.'

export interface RecordingOptions {
  /** When the signal is aborted, the recording ends with all entries that have arrived by then. */
  readonly until: AbortSignal
  /** Maximum duration, and maximum time without an entry; null for no limit. */
  readonly mostMs: number | null
  readonly idleMs: number | null
  /** Called when recording has started. Everything that happens from then on goes into the file. */
  readonly onStart: () => void
  readonly onEntries: (entries: number, bytes: number) => void
}

export interface RecordedFile {
  readonly file: string
  readonly recording_id: string
  readonly entries: number
  readonly bytes: number
}

/** Throws ServiceError `conflict` when another recording is running or the file exists, and any error of the service. */
export async function saveRecording(
  client: ServiceClient,
  path: string,
  options: RecordingOptions,
): Promise<RecordedFile> {
  const file = await RecordingFile.create(path)
  let recordingId: string
  try {
    const head = await file.addHead(requireBytes(await client.call('recording.start', {}), NO_RECORDING))
    const document = tryParseJson(head)
    if (!isObject(document) || typeof document['recording_id'] !== 'string')
      throw new ServiceError('bad_response', NO_RECORDING)
    recordingId = document['recording_id']
  } catch (error) {
    await file.remove()
    throw error
  }
  try {
    options.onStart()
    await follow(client, file, recordingId, options)
    const { at, entries } = await stop(client, file, recordingId)
    await file.end({ end: { at, entries } })
    return { file: path, recording_id: recordingId, entries, bytes: file.bytes }
  } catch (error) {
    // The recording will not be read again, so remove it from the store.
    const params = { recording_id: recordingId }
    await client.call('recording.stop', { params, body: { read: Number.MAX_SAFE_INTEGER } }).catch(() => {})
    throw error
  } finally {
    await file.close()
  }
}

async function follow(
  client: ServiceClient,
  file: RecordingFile,
  recordingId: string,
  { until, mostMs, idleMs, onEntries }: RecordingOptions,
): Promise<void> {
  const began = performance.now()
  let cameAt = began
  let lookMs = LOOK_MS
  for (;;) {
    await delay(lookMs, undefined, { signal: until }).catch(() => {})
    if (until.aborted) return
    const came = await read(client, file, recordingId)
    const now = performance.now()
    if (came > 0) {
      cameAt = now
      lookMs = LOOK_MS
      onEntries(file.entry, file.bytes)
    } else lookMs = Math.min(MOST_LOOK_MS, lookMs * 2, idleMs ?? MOST_LOOK_MS)
    if (mostMs !== null && now - began >= mostMs) return
    if (idleMs !== null && now - cameAt >= idleMs) return
  }
}

/** Returns the number of entries read. */
async function read(client: ServiceClient, file: RecordingFile, recordingId: string): Promise<number> {
  const params = { recording_id: recordingId }
  const reply = await client.call('recording.read', { params, body: { after: file.entry } }).catch(error => {
    throw overOr(error)
  })
  return file.addEntries(requireBytes(reply, NO_RECORDING))
}

/** Stops recording first, then reads the rest, then removes the recording from the store. */
async function stop(client: ServiceClient, file: RecordingFile, recordingId: string) {
  for (;;) {
    const params = { recording_id: recordingId }
    const reply = await client.call('recording.stop', { params, body: { read: file.entry } }).catch(error => {
      throw overOr(error)
    })
    if (reply.kind !== 'json') throw new ServiceError('bad_response', 'The response is not JSON.')
    if (reply.body.done) return reply.body
    await read(client, file, recordingId)
  }
}

function overOr(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'not_found') return error
  return new ServiceError(
    'conflict',
    'The recording was ended elsewhere: the store was reset or restored, or nothing read the recording for a minute.',
    {
      suggestions: ['The file contains everything up to that time and can be replayed.'],
      cause: error,
    },
  )
}
