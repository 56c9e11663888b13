/** Renders an answer as json, ndjson, csv or a table on a terminal: the one place that does. */
import { csvRecord } from '../table/csv.ts'
import type { View } from './view.ts'

/** What every command has. */
export const OUTPUT_FORMATS = ['table', 'json', 'ndjson', 'csv'] as const
export type OutputFormat = (typeof OUTPUT_FORMATS)[number]

/** What some commands have besides: the answer as a file, made by the command itself. */
export type FileFormat = 'parquet' | 'arrow' | 'svg'

/**
 * The text of an answer, its last line ended. `json` is the body, unchanged; indented for a person to read when asked. `width`
 * is that of the terminal, which a table is fitted to; undefined is a pipe, into which nothing is shortened.
 */
export async function render<Row>(
  format: OutputFormat,
  body: unknown,
  view: View<Row>,
  options: { readonly indent: boolean; readonly width?: number | undefined; readonly isSafeCsv?: boolean },
): Promise<string> {
  switch (format) {
    case 'json':
      return `${JSON.stringify(body, null, options.indent ? 2 : undefined)}\n`
    case 'ndjson':
      return (view.isOneDocument ? [body] : view.rows).map(row => `${JSON.stringify(row)}\n`).join('')
    case 'csv':
      return renderCsv(view, options.isSafeCsv)
    case 'table': {
      const { renderTable } = await import('./text-table.ts')
      return renderTable(view, options.width)
    }
  }
}

/** A header line and a line a row; every number exact. `isSafe`: see `CsvOptions`. */
export function renderCsv<Row>(view: View<Row>, isSafe = false): string {
  const lines = view.rows.map(row =>
    csvRecord(
      view.columns.map(column => column.value(row)),
      { isSafe },
    ),
  )
  if (view.columns.length === 0) return ''
  return [csvRecord(view.columns.map(column => column.name)), ...lines].join('')
}
