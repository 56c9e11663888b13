/** Importers for any CSV or NDJSON file, using a mapping of its columns or fields. */
import { ServiceError } from '../../../core/errors.ts'
import { formatCount } from '../../../core/text.ts'
import { headText, otherText } from '../bytes/text-encoding.ts'
import { looksLikeTable } from '../csv/reader.ts'
import type { ImportContext, Importer, ImportFile, TableContext, TablePeople } from '../importer.ts'
import { ownIdFor } from '../items/ids.ts'
import { type RecordImport, recordImporter } from '../records/import.ts'
import { SkipCounts } from '../skip-counts.ts'
import { type Conventions, settledConventions } from './conventions.ts'
import { NO_MAPPING } from './mapping.ts'
import { MappedRows } from './rows.ts'
import { csvSource, ndjsonSource, type RowSource, rowTexts, type SourceRow } from './source.ts'

const NOT_SELECTED = 'a row is not selected'
/** Maximum number of users per table. */
const MOST_PEOPLE = 1000

/** Which rows to read, and how. If there are no conventions, they must still be determined from the file. */
interface RowsRead {
  readonly of: (row: SourceRow) => boolean
  readonly conventions: Conventions | null
}

const ALL_ROWS: RowsRead = { of: () => true, conventions: null }

interface TableFormat extends Pick<Importer, 'format' | 'title' | 'recognizes'> {
  readonly open: (file: ImportFile, context: TableContext) => Promise<RowSource>
}

/**
 * Reads a table with a header, in which each row is a record. If there is no mapping, the file is refused with an error that lists its
 * columns.
 */
export const mappedCsv = tableImporter({
  format: 'csv',
  title: 'any CSV file, with a mapping of its columns',
  recognizes(head) {
    // other encodings are also accepted here, because the problem is reported when the file is read
    const text = headText(head) ?? otherText(head)
    if (text === undefined || /^\s*[<{[]/.test(text)) return false
    return looksLikeTable(Buffer.from(text))
  },
  open: csvSource,
})

/** Reads one object per line, or a list of objects, in which each object is a record. `body.time` refers to a nested field. */
export const mappedNdjson = tableImporter({
  format: 'ndjson',
  title: 'any NDJSON file, with a mapping of its fields',
  recognizes: head => /^\s*\[?\s*\{\s*"/.test(headText(head) ?? ''),
  open: ndjsonSource,
})

function tableImporter(format: TableFormat): Importer {
  const importerOf = (read: RowsRead): Importer =>
    recordImporter({
      ...format,
      kinds: null,
      async *steps(file, context, importing) {
        yield* steps(await format.open(file, context), context, importing, read)
      },
    })
  return {
    ...importerOf(ALL_ROWS),
    people: (file, context) => tablePeople(format, file, context, importerOf),
  }
}

async function* steps(
  source: RowSource,
  context: ImportContext,
  importing: RecordImport,
  read: RowsRead,
): AsyncGenerator<number> {
  let rows: MappedRows | undefined
  const skip = (reason: string, position: string): void => {
    importing.records++
    importing.skip(reason, position)
  }
  for await (const { rows: some, bytesRead } of source.rows()) {
    for (const row of some) {
      if (!read.of(row)) continue
      if (row.problem !== null) skip(row.problem, row.position)
      else if (!row.isSelected) skip(NOT_SELECTED, row.position)
      else {
        rows ??= mappedRows(context, importing, read.conventions ?? (await readConventions(source, context)))
        rows.add(row.cell, row.position)
      }
    }
    yield bytesRead
  }
}

function readConventions(source: RowSource, { dateOrder }: TableContext, see?: (row: SourceRow) => void) {
  return settledConventions(rowTexts(source, see), dateOrder, source.numbers)
}

/** Returns the rows' reader, and reports the date order. */
function mappedRows(context: ImportContext, importing: RecordImport, conventions: Conventions): MappedRows {
  importing.reportDateOrder(conventions.choice)
  const mapping = context.mapping ?? NO_MAPPING
  const idOf = (id: string): string => ownIdFor(context.userId, id)
  return new MappedRows({ ...conventions, mapping, zone: mapping.timeZone ?? context.timeZone, idOf, importing })
}

/** Returns a row's owner, or the reason why it has none. */
function findOwner(row: SourceRow): { readonly name: string } | { readonly reason: string } {
  if (row.problem !== null) return { reason: row.problem }
  if (!row.isSelected) return { reason: NOT_SELECTED }
  const name = row.cell('user')?.trim() ?? ''
  return name === '' ? { reason: 'a row names no user' } : { name }
}

async function tablePeople(
  format: TableFormat,
  file: ImportFile,
  context: TableContext,
  importerOf: (read: RowsRead) => Importer,
): Promise<TablePeople> {
  const source = await format.open(file, context)
  const positions = new Map<string, string>()
  const skips = new SkipCounts()
  const conventions = await readConventions(source, context, row => {
    const owner = findOwner(row)
    if ('reason' in owner) skips.add(owner.reason, 1, row.position)
    // copied, because a substring keeps the whole row in memory
    else if (!positions.has(owner.name) && positions.size <= MOST_PEOPLE)
      positions.set(Buffer.from(owner.name).toString(), row.position)
  })
  if (positions.size > MOST_PEOPLE) throw tooManyPeople()
  return {
    people: [...positions].map(([name, position]) => ({ name, place: position })),
    skipped: [...skips.items()].filter(item => item.kind === 'skipped'),
    importerFor(name) {
      const isTheirs = (row: SourceRow): boolean => {
        const owner = findOwner(row)
        return 'name' in owner && owner.name === name
      }
      return importerOf({ of: isTheirs, conventions })
    },
  }
}

function tooManyPeople(): ServiceError {
  const most = formatCount(MOST_PEOPLE)
  return new ServiceError(
    'invalid_file',
    `The column that is mapped to user has more than ${most} values, which is the limit of one import.`,
    { suggestions: ['Check that the column contains client user IDs, and split a larger table by user.'] },
  )
}
