/** Renders responses as JSON, NDJSON, CSV or a terminal table. No other module renders responses. */
import { csvRecord } from '../table/csv.ts'
import type { TableScreen } from './text-table.ts'
import type { View } from './view.ts'

/** Formats that every command supports. */
export const OUTPUT_FORMATS = ['table', 'json', 'ndjson', 'csv'] as const
export type OutputFormat = (typeof OUTPUT_FORMATS)[number]

/** Additional formats for commands that write the response to a file themselves. */
export type FileFormat = 'parquet' | 'arrow' | 'svg'

/**
 * Renders a response as text that ends with a newline. JSON output is the unchanged body, optionally indented. `screen` describes the
 * terminal that shows a table.
 */
export async function render<Row>(
  format: OutputFormat,
  body: unknown,
  view: View<Row>,
  options: { readonly indent: boolean; readonly screen?: TableScreen; readonly isSafeCsv?: boolean },
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
      return renderTable(view, options.screen)
    }
  }
}

/** Returns a header line and one line per row, with exact numbers. `isSafe`: see `CsvOptions`. */
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
