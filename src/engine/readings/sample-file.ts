/**
 * Writes samples as CSV and Parquet, piece by piece, with one row per sample and the source's columns first. At most one row group is in
 * memory.
 */
import type { TimeseriesResource } from '../../catalogue/resources.ts'
import type { Cell } from '../../table/cells.ts'
import { type CsvOptions, csvRecord } from '../../table/csv.ts'
import type { SampleRow } from './sample-order.ts'
import { SampleRows, sampleColumns } from './sample-rows.ts'

/** Yields the rows page by page. */
export type RowPages = AsyncIterable<readonly SampleRow[]>

/** Number of rows in a row group of a Parquet file. */
const PARQUET_ROWS = 65_536

export async function* samplesAsCsv(
  pages: RowPages,
  resource: TimeseriesResource,
  options: CsvOptions,
): AsyncGenerator<string> {
  const lines = new SampleRows(resource, options)
  let head = csvRecord(lines.names)
  for await (const rows of pages) {
    yield head + rows.map(row => lines.csv(row)).join('')
    head = ''
  }
}

export async function* samplesAsParquet(pages: RowPages, resource: TimeseriesResource): AsyncGenerator<Uint8Array> {
  const { openParquet } = await import('../../table/parquet.ts')
  const lines = new SampleRows(resource)
  const columns = sampleColumns(resource)
  const file = await openParquet(columns)
  let waiting = columns.map((): Cell[] => [])
  for await (const rows of pages) {
    for (const row of rows) {
      for (const [i, cell] of lines.cells(row).entries()) {
        const isTime = columns[i]?.kind === 'instant' && typeof cell === 'string'
        waiting[i]?.push(isTime ? Date.parse(cell) : cell)
      }
    }
    if ((waiting[0]?.length ?? 0) < PARQUET_ROWS) continue
    yield file.rows(waiting)
    waiting = columns.map(() => [])
  }
  yield file.rows(waiting)
  yield file.end()
}
