/** A result table as an Arrow IPC file. */
import type { ResultTable } from './table.ts'

/**
 * The bytes of an Arrow file (with footer, so that it can be memory-mapped), as `pyarrow.feather` and others read it.
 */
export async function toIpc(table: ResultTable): Promise<Uint8Array> {
  const { tableToIPC } = await import('apache-arrow')
  return tableToIPC(table, 'file')
}
