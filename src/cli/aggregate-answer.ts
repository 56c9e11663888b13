/** Shows the answer of an aggregate query, or saves it as Parquet. */
import { rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { ReplyBody } from '../contract/operation.ts'
import type { Operations } from '../contract/operations.ts'
import { ServiceError } from '../core/errors.ts'
import type { OutputFormat } from '../output/render.ts'
import { cellOf, type View, view } from '../output/view.ts'

type Answer = ReplyBody<Operations['aggregate.query']>
type Row = Readonly<Record<string, unknown>>

/** Rows and columns of the one table; several tables get a column `query` in front, except in csv, which holds one. */
export function aggregateView(answer: Answer, format: OutputFormat): View<Row> {
  const tables = answer.results.map(result => result.table)
  if (format === 'csv' && tables.length > 1) {
    throw new ServiceError('usage', 'csv holds the answer of one query; use json, or -o out.tar.gz for several.')
  }
  const isOne = tables.length === 1
  const rows = tables.flatMap((table, query) => rowsOf(table).map(row => (isOne ? row : { query, ...row })))
  const names = new Set([...(isOne ? [] : ['query']), ...tables.flatMap(table => Object.keys(table))])
  return view(rows, Object.fromEntries([...names].map(name => [name, (row: Row) => cellOf(row[name])])), 'No rows.')
}

function rowsOf(table: Readonly<Record<string, readonly unknown[]>>): Row[] {
  const columns = Object.entries(table)
  const length = columns[0]?.[1].length ?? 0
  return Array.from({ length }, (_, i) => Object.fromEntries(columns.map(([name, cells]) => [name, cells[i]])))
}

/** What was written, as --json prints it. */
interface SavedFile {
  readonly file: string
  readonly bytes: number
}

export interface Archive {
  readonly kind: 'parquet' | 'tar'
  /** Takes the bytes of the archive that the service sent. Writes the whole file or none. */
  save(bytes: AsyncIterable<Uint8Array> | Uint8Array): Promise<SavedFile>
}

/** What a file name asks for. Throws ServiceError `usage` for any other ending. */
export function archiveKind(file: string): Archive {
  const name = file.toLowerCase()
  if (name.endsWith('.parquet')) {
    return { kind: 'parquet', save: async bytes => write(file, await firstFile(await collect(bytes))) }
  }
  if (name.endsWith('.tar.gz') || name.endsWith('.tgz')) {
    return { kind: 'tar', save: async bytes => write(file, await collect(bytes)) }
  }
  throw new ServiceError('usage', `-o takes a name that ends with .parquet, or with .tar.gz for several queries.`, {
    suggestions: ['csv and json go to stdout: --output csv > FILE.'],
  })
}

async function collect(bytes: AsyncIterable<Uint8Array> | Uint8Array): Promise<Uint8Array> {
  if (bytes instanceof Uint8Array) return bytes
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** `0.parquet` of the archive. */
async function firstFile(archive: Uint8Array): Promise<Uint8Array> {
  const [{ extract }, { gunzipSync }] = await Promise.all([import('tar-stream'), import('node:zlib')])
  try {
    const entries = extract()
    entries.end(gunzipSync(archive))
    // an entry is a stream of bytes, which its types do not say
    for await (const entry of entries) return await collect(entry as AsyncIterable<Uint8Array>)
  } catch (cause) {
    throw new ServiceError('bad_response', 'The service did not answer with a gzipped tar archive.', { cause })
  }
  throw new ServiceError('bad_response', 'The archive that the service answered with is empty.')
}

async function write(file: string, bytes: Uint8Array): Promise<SavedFile> {
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.tmp`)
  try {
    await writeFile(temporary, bytes)
    await rename(temporary, file)
  } catch (cause) {
    await rm(temporary, { force: true })
    throw new ServiceError('usage', `The file ${file} cannot be written.`, {
      suggestions: ['Check that its folder exists and can be written to.'],
      cause,
    })
  }
  return { file, bytes: bytes.length }
}
