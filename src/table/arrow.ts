/** Writes result tables as Arrow IPC: the table itself with its types, for tools that read Arrow. */
import type { ResultTable } from './table.ts'

/**
 * Writes a table as Arrow IPC. `stream` is for pipes; `file` allows random access and conventionally ends in `.arrow`. Equal tables give
 * equal bytes.
 */
export async function toArrow(table: ResultTable, form: 'stream' | 'file'): Promise<Uint8Array> {
  const { tableToIPC } = await import('apache-arrow')
  return tableToIPC(table, form)
}
