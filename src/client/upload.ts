/** An upload body: a file or a stream, sent in chunks with progress reports. */
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { ByteSource } from '../contract/kernel/operation.ts'
import { ServiceError } from '../core/errors.ts'
import type { CallOptions } from './client.ts'

export interface Upload {
  readonly body: Readable
  readonly headers: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** Opens an upload. Throws ServiceError `usage` if the file cannot be read. */
export async function openUpload(source: ByteSource, onProgress: CallOptions['onProgress']): Promise<Upload> {
  if (source.kind === 'stream') {
    return { body: Readable.from(counted(source.stream, 0, onProgress)), headers: {}, close: async () => {} }
  }
  const file = await open(source.path, 'r').catch(error => {
    throw unreadable(source.path, error)
  })
  const stats = await file.stat()
  if (!stats.isFile()) {
    await file.close()
    throw unreadable(source.path, { code: stats.isDirectory() ? 'EISDIR' : 'EINVAL' })
  }
  const { size } = stats
  const stream = file.createReadStream({ autoClose: false, highWaterMark: 256 * 1024 })
  return {
    body: Readable.from(counted(stream, size, onProgress), { objectMode: true, highWaterMark: 4 }),
    headers: { 'content-length': String(size) },
    close: async () => {
      stream.destroy()
      await file.close()
    },
  }
}

async function* counted(
  stream: AsyncIterable<Uint8Array>,
  totalBytes: number,
  onProgress: CallOptions['onProgress'],
): AsyncIterable<Uint8Array> {
  let doneBytes = 0
  for await (const chunk of stream) {
    yield chunk
    doneBytes += chunk.length
    onProgress?.({ phase: 'sending', doneBytes, totalBytes, records: 0 })
  }
}

function unreadable(path: string, error: unknown): ServiceError {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  const why: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file',
    EACCES: 'you have no permission to read it',
    EISDIR: 'it is a folder',
    EINVAL: 'it is not a regular file',
  }
  return new ServiceError('usage', `${path} cannot be read: ${why[code] ?? `the system returned ${code}`}.`, {
    ...(error instanceof Error ? { cause: error } : {}),
  })
}
