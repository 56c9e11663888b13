/** Shows the answer of an aggregate query, or saves it as Parquet. */
import type { ReplyBody } from '../contract/operation.ts'
import type { Operations } from '../contract/operations.ts'
import { ServiceError } from '../core/errors.ts'
import type { OutputFormat } from '../output/render.ts'
import { cellOf, type View, view } from '../output/view.ts'
import type { Pieces } from './answer-file.ts'

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

/** What is made of the archive that the service sends: its one table, or the archive itself. */
export interface Archive {
  readonly kind: 'parquet' | 'tar'
  unpack(bytes: AsyncIterable<Uint8Array> | Uint8Array): Pieces
}

/**
 * What a file name asks for; with `--output parquet` it may end as it likes, and without a name stdout gets the table. Throws
 * ServiceError `usage`.
 */
export function archiveKind(file: string | undefined, isParquet: boolean): Archive {
  const name = file?.toLowerCase() ?? ''
  if (name.endsWith('.tar.gz') || name.endsWith('.tgz')) return { kind: 'tar', unpack: pieces }
  if (isParquet || name.endsWith('.parquet')) return { kind: 'parquet', unpack: firstFile }
  throw new ServiceError('usage', `-o takes a name that ends with .parquet, or with .tar.gz for several queries.`, {
    suggestions: ['csv and json go to stdout: --output csv > FILE.'],
  })
}

async function* pieces(bytes: AsyncIterable<Uint8Array> | Uint8Array): Pieces {
  if (bytes instanceof Uint8Array) yield bytes
  else yield* bytes
}

async function collect(bytes: AsyncIterable<Uint8Array> | Uint8Array): Promise<Uint8Array> {
  if (bytes instanceof Uint8Array) return bytes
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** `0.parquet` of the archive. */
async function* firstFile(bytes: AsyncIterable<Uint8Array> | Uint8Array): Pieces {
  const archive = await collect(bytes)
  const [{ extract }, { gunzipSync }] = await Promise.all([import('tar-stream'), import('node:zlib')])
  let first: Uint8Array | undefined
  try {
    const entries = extract()
    entries.end(gunzipSync(archive))
    for await (const entry of entries) {
      // an entry is a stream of bytes, which its types do not say
      first = await collect(entry as AsyncIterable<Uint8Array>)
      break
    }
  } catch (cause) {
    throw new ServiceError('bad_response', 'The service did not answer with a gzipped tar archive.', { cause })
  }
  if (!first) throw new ServiceError('bad_response', 'The archive that the service answered with is empty.')
  yield first
}
