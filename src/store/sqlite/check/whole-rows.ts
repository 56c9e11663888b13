/** Checks whether a row without a checksum can be intact. Its texts must be parseable, and its blob must match its figures. */
import { decodeStream } from '../../chunk/stream-codec.ts'
import { ChunkView } from '../../chunk/view.ts'
import type { OwnRow } from '../../logic/check/checksums.ts'
import { type ChunkRow, faultsOfChunk } from '../../logic/check/chunk.ts'
import { isJson } from '../../logic/check/documents.ts'
import type { CheckedRows, Stored } from '../../logic/rows/checked-rows.ts'
import { TABLES } from '../../tables/catalogue.ts'
import { columnDetails } from '../../tables/table.ts'

export function isWhole(rows: CheckedRows<object>, row: OwnRow): boolean {
  const table = TABLES.find(({ name }) => name === rows.table)
  try {
    for (const [name, column] of Object.entries(table?.columns ?? {})) {
      const [text, { json }] = [row[name], columnDetails(column)]
      if (json !== undefined && typeof text === 'string' && !isJson(json, text)) return false
    }
    return isWholeBlob(rows.table, row)
  } catch {
    return false
  }
}

/** Returns whether the blob matches the row. Throws if the blob cannot be decoded. */
function isWholeBlob(table: string, row: OwnRow): boolean {
  const { data } = row
  if (table === 'chunk') return faultsOfChunk(row as Stored<ChunkRow & OwnRow>).length === 0
  if (!(data instanceof Uint8Array)) return true
  const isStream = table === 'stream' || row['kind'] === 'stream'
  if (isStream) return decodeStream(data).n === (row['n'] ?? decodeStream(data).n)
  const view = new ChunkView(data)
  view.validate()
  return view.n === (row['n'] ?? view.n)
}
