/** Importer for LibreView exports: CSV files with a title line, a header in the account's language, and one row per record. */
import { ServiceError } from '../../../core/errors.ts'
import { headText } from '../bytes/text-encoding.ts'
import { DateOrderEvidence } from '../csv/date.ts'
import { type CsvRow, csvRows, detectSeparator } from '../csv/reader.ts'
import { firstPass } from '../first-pass.ts'
import type { DateOrderChoice, ImportContext, ImportFile } from '../importer.ts'
import { type RecordImport, recordImporter } from '../records/import.ts'
import { type LibreColumns, libreColumns } from './libreview-columns.ts'
import { LibreRecords } from './libreview-records.ts'

/** Maximum number of lines above the header, which are a title with the person's name and sometimes a blank line. */
const MOST_TITLE_ROWS = 10

/**
 * Imports glucose by record type (`automatic`, `manual_scan`, `fingerprick`), insulin, carbohydrates and notes. Dates are written as
 * `31-12` or `12-31`, so the order is first determined from the whole file, before anything is stored.
 */
export const libreview = recordImporter({
  format: 'libreview',
  title: 'LibreView export (CSV)',
  kinds: {},
  recognizes,
  source: { provider: 'abbott_libreview', sourceType: 'automatic' },
  steps,
})

function recognizes(head: Uint8Array): boolean {
  const text = headText(head)
  if (text === undefined || /^\s*[<{[]/.test(text)) return false
  const separator = detectSeparator(head)
  const lines = text.split(/\r\n|\n|\r/, MOST_TITLE_ROWS)
  return lines.some(line => libreColumns(line.split(separator).map(cell => cell.replaceAll('"', ''))) !== undefined)
}

async function* steps(file: ImportFile, context: ImportContext, importing: RecordImport): AsyncGenerator<number> {
  const choice = await chooseDateOrder(file, context)
  importing.reportDateOrder(choice)
  const order = choice?.order ?? 'dmy'
  let records: LibreRecords | undefined
  for await (const { row, columns, bytesRead } of dataRows(file, context)) {
    records ??= new LibreRecords({ columns, order, zone: context.timeZone, importing })
    if (row === undefined) yield bytesRead
    else records.add(row)
  }
}

/** Determines the date order in a first pass over the file. */
async function chooseDateOrder(file: ImportFile, context: ImportContext): Promise<DateOrderChoice | null> {
  const evidence = new DateOrderEvidence()
  await firstPass(async () => {
    for await (const { row, columns } of dataRows(file, context)) {
      const text = row?.cells?.[columns.time]
      if (text !== undefined) evidence.see(text, `line ${(row as CsvRow).line}`)
    }
  })
  return evidence.settle(context.dateOrder)
}

interface DataRow {
  /** A row; undefined after the last row of a piece. */
  readonly row: CsvRow | undefined
  readonly columns: LibreColumns
  readonly bytesRead: number
}

/** Yields the rows below the header. Throws ServiceError `invalid_file` if there is no header. */
async function* dataRows(file: ImportFile, context: ImportContext): AsyncGenerator<DataRow> {
  let columns: LibreColumns | undefined
  let titleRows = 0
  for await (const { rows, bytesRead } of csvRows(file, context.signal)) {
    for (const row of rows) {
      if (columns !== undefined) {
        yield { row, columns, bytesRead }
        continue
      }
      columns = libreColumns(row.cells ?? [])
      if (columns === undefined && ++titleRows > MOST_TITLE_ROWS) throw noHeader()
    }
    if (columns !== undefined) yield { row: undefined, columns, bytesRead }
  }
  if (columns === undefined) throw noHeader()
}

function noHeader(): ServiceError {
  return new ServiceError(
    'invalid_file',
    'The file is not a LibreView export. One of its first lines must have the columns Device Timestamp, Record Type and ' +
      'Historic Glucose, the last one with its unit, mg/dL or mmol/L. Export the data from LibreView again and import the file unchanged.',
  )
}
