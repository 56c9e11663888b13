/** Result tables as Arrow IPC: the very table, with its types, for tools that read Arrow. */
import type { ResultTable } from './table.ts'

/** `stream` is for pipes; `file` can be read at any place, and ends in `.arrow` by custom. Equal tables give equal bytes. */
export async function toArrow(table: ResultTable, form: 'stream' | 'file'): Promise<Uint8Array> {
  const { tableToIPC } = await import('apache-arrow')
  return tableToIPC(table, form)
}
