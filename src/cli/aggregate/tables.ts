/**
 * Requests the response to an aggregate query in a format that keeps its types, so that embedded and remote engines return the same tables.
 */
import type { ServiceClient } from '../../client/client.ts'
import type { QueryBatchInput } from '../../contract/aggregates/aggregate.ts'
import { ServiceError } from '../../core/errors.ts'
import type { ResultTable } from '../../table/table.ts'
import type { ArchiveFile } from '../../table/tar.ts'
import type { Pieces } from '../output/output-file.ts'
import { fetchBytes, type OnHeaders } from '../output/response-bytes.ts'

/** The media type of the archive. The constant is not imported from the contract, because that would load every schema. */
const PARQUET = 'application/vnd.service.tar+gzip+parquet'

/** Returns the service's response as an archive; JSON would lose the types. Throws any error of the call. */
export async function fetchArchive(
  client: ServiceClient,
  userId: string,
  batch: QueryBatchInput,
  signal: AbortSignal,
  onHeaders?: OnHeaders,
): Promise<Uint8Array> {
  const input = { params: { user_id: userId }, body: batch }
  const otherwise = 'The service returned JSON instead of Parquet.'
  const options = { accept: PARQUET, signal, otherwise, ...(onHeaders ? { onHeaders } : {}) }
  return collectBytes(await fetchBytes(client, 'aggregate.query', input, options))
}

/** Returns the files `0.parquet`, `1.parquet` … of an archive, in order. Throws ServiceError `bad_response`. */
export async function unpackArchive(archive: Uint8Array): Promise<readonly ArchiveFile[]> {
  const [{ extract }, { gunzipSync }] = await Promise.all([import('tar-stream'), import('node:zlib')])
  const files: ArchiveFile[] = []
  try {
    const entries = extract()
    entries.end(gunzipSync(archive))
    for await (const entry of entries) {
      // The library's types do not show that an entry is a byte stream.
      files.push({ name: entry.header.name, bytes: await collectBytes(entry as AsyncIterable<Uint8Array>) })
    }
  } catch (cause) {
    throw new ServiceError('bad_response', 'The service did not respond with a gzipped tar archive.', { cause })
  }
  if (files.length > 0) return files
  throw new ServiceError('bad_response', "The archive in the service's response is empty.")
}

/** Returns the tables of an archive, one for each query. Throws ServiceError `bad_response`. */
export async function readTables(archive: Uint8Array): Promise<readonly ResultTable[]> {
  const { fromParquet } = await import('../../table/read-parquet.ts')
  const tables: ResultTable[] = []
  for (const { name, bytes } of await unpackArchive(archive)) {
    try {
      tables.push(await fromParquet(bytes))
    } catch (cause) {
      throw new ServiceError('bad_response', `${name} in the service's response cannot be read as Parquet.`, { cause })
    }
  }
  return tables
}

/** Returns the row count in a Parquet file's metadata, without reading the rows. Throws ServiceError `bad_response`. */
export async function parquetRows(bytes: Uint8Array): Promise<number> {
  const { parquetMetadata } = await import('hyparquet')
  try {
    // the reader needs its own ArrayBuffer
    return Number(parquetMetadata(new Uint8Array(bytes).buffer).num_rows)
  } catch (cause) {
    throw new ServiceError('bad_response', "The service's response cannot be read as Parquet.", { cause })
  }
}

/** Returns all bytes of a response that may arrive in pieces. */
export async function collectBytes(pieces: Pieces): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const piece of pieces) parts.push(typeof piece === 'string' ? Buffer.from(piece) : piece)
  const [only] = parts
  return only && parts.length === 1 ? only : Buffer.concat(parts)
}
