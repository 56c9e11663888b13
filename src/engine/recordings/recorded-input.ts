/** Prepares a call's input for a recording. Everything is included except passwords, codes and API keys. */

import { createWriteStream } from 'node:fs'
import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { stoodInCode, stoodInPassword } from '../../connectors/synthetic/sandbox.ts'
import type { ByteSource, Operation } from '../../contract/kernel/operation.ts'
import type { RawInput } from '../../contract/kernel/validation.ts'
import { isDiskFull } from '../../core/disk-full.ts'
import { ServiceError } from '../../core/errors.ts'
import { dataFolderError, scratchName } from '../../store/folder/data-folder.ts'

/** Body fields that determine the outcome of a simulated sign-in and are a person's secrets. They are recorded as placeholders. */
const PLACEHOLDERS: Readonly<Record<string, (text: string) => string>> = {
  password: stoodInPassword,
  mfa_code: stoodInCode,
}

/** Returns the input for the recording, with only the headers that the operation reads. */
export function inputLine(operation: Operation, input: RawInput): Readonly<Record<string, unknown>> {
  const names = operation.headers ? Object.keys(operation.headers().shape) : []
  const headers = names.flatMap(name => {
    const value = input.headers?.[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    params: input.params,
    ...(Object.keys(input.query).length === 0 ? {} : { query: input.query }),
    ...(operation.bodyIsBytes || input.body === undefined ? {} : { body: withoutSecrets(input.body) }),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
  }
}

function withoutSecrets(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const placeholder = Object.hasOwn(PLACEHOLDERS, name) ? PLACEHOLDERS[name] : undefined
      return [name, placeholder && typeof value === 'string' ? placeholder(value) : value]
    }),
  )
}

/** Copies an upload to a separate file that does not change while the call runs. `remove` deletes the file. */
export async function keptUpload(
  source: ByteSource,
  scratchDir: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = join(scratchDir, scratchName('upload'))
  const remove = (): Promise<void> => rm(path, { force: true })
  try {
    if (source.kind === 'file') await copyFile(source.path, path)
    else {
      const bytes = Readable.from(source.stream, { objectMode: true, highWaterMark: 4 })
      await pipeline(bytes, createWriteStream(path, { mode: 0o600, flags: 'wx' }), signal ? { signal } : {})
    }
    return { path, remove }
  } catch (error) {
    await remove()
    if (signal?.aborted) throw new ServiceError('cancelled', 'Cancelled; nothing was stored.', { cause: error })
    if (isDiskFull(error)) throw dataFolderError(scratchDir, error)
    throw error
  }
}
