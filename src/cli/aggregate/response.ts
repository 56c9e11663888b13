/** Renders the responses to aggregate queries in the requested format, piece by piece. */
import { resultHeading } from '../../catalogue/wording.ts'
import type { Screen } from '../../output/screen.ts'
import { type Cell, dataView, type View } from '../../output/view.ts'
import { toCell } from '../../table/cells.ts'
import type { CsvOptions } from '../../table/csv.ts'
import type { ResultTable } from '../../table/table.ts'
import type { Pieces } from '../output/output-file.ts'
import { tableCharts } from './chart.ts'
import { type Aliases, renamedTable } from './renamed.ts'
import { collectBytes, parquetRows, readTables, unpackArchive } from './tables.ts'
import type { QueryTarget } from './target.ts'

export interface RenderOptions {
  readonly screen: Screen
  readonly csv: CsvOptions
  /** The queries as JSON, in table order, for the headings of terminal tables. */
  readonly queries: readonly unknown[]
  /** The new column names. */
  readonly aliases?: Aliases | undefined
  /** Whether to write Arrow as a file with random access instead of a stream. */
  readonly toFile: boolean
  /** Called with the row count of each written table, but not for charts. */
  readonly onRows?: (count: number) => void
}

/** Number of table rows drawn at once. */
const ROWS_AT_ONCE = 1_000

/** Returns the rows and columns of a JSON response with one table. `query` is its query, as JSON. */
export function aggregateView(response: JsonResponse, query: unknown): View<Row> {
  const lists = response.results.flatMap(({ table }) => Object.entries(table))
  const length = lists[0]?.[1].length ?? 0
  const rows = Array.from(
    { length },
    (_, row): Row => Object.fromEntries(lists.map(([name, cells]) => [name, cells[row]])),
  )
  const columns = lists.map(([name]) => [name, (row: Row) => toCell(row[name])] as const)
  const shown = dataView(rows, Object.fromEntries(columns), 'No rows.')
  return { ...shown, columns: shown.columns.map(each => ({ ...each, title: resultHeading(each.name, query) })) }
}

interface JsonResponse {
  readonly results: readonly { readonly table: Readonly<Record<string, readonly unknown[]>> }[]
}
type Row = Readonly<Record<string, unknown>>

/** Renders the service's archive in every format except json, which the service renders itself. */
export async function* renderArchive(archive: Uint8Array, target: QueryTarget, options: RenderOptions): Pieces {
  const { onRows } = options
  if (target.format === 'parquet' && options.aliases === undefined) {
    const files = await unpackArchive(archive)
    if (onRows) for (const { bytes } of files) onRows(await parquetRows(bytes))
    // Pass the service's own Parquet files through unchanged.
    return yield target.isArchive ? archive : (files[0]?.bytes ?? new Uint8Array())
  }
  const tables = await readTables(archive)
  if (target.format !== 'svg' && target.format !== 'chart') for (const { numRows } of tables) onRows?.(numRows)
  if (target.isArchive) return yield await packArchive(tables, target, options)
  yield* renderTables(tables, target.format, options)
}

async function* renderTables(
  tables: readonly ResultTable[],
  format: QueryTarget['format'],
  options: RenderOptions,
): Pieces {
  const isOne = tables.length === 1
  for (const [i, table] of tables.entries()) {
    if (!isOne && (format === 'table' || format === 'chart')) yield `${i === 0 ? '' : '\n'}Query ${i}\n\n`
    yield* renderTable(table, format, options, isOne ? undefined : i)
  }
}

async function* renderTable(
  response: ResultTable,
  format: QueryTarget['format'],
  { screen, csv, toFile, queries, aliases }: RenderOptions,
  query: number | undefined,
): Pieces {
  const table = renamedTable(response, aliases)
  switch (format) {
    case 'csv':
      return yield* (await import('../../table/csv.ts')).csvPieces(table, csv)
    case 'ndjson':
      return yield* (await import('../../table/ndjson.ts')).ndjsonPieces(table, query)
    case 'arrow':
      return yield await (await import('../../table/arrow.ts')).toArrow(table, toFile ? 'file' : 'stream')
    case 'parquet':
      return yield* (await import('../../table/parquet.ts')).parquetPieces(table)
    case 'json':
      return yield* (await import('../../table/json.ts')).jsonPieces([table])
    case 'table':
      return yield* textTable(table, queries[query ?? 0], screen)
    case 'svg': {
      const { svgCharts } = await import('../../output/svg-charts.ts')
      return yield svgCharts(tableCharts(response, aliases))
    }
    case 'chart': {
      const { brailleChart } = await import('../../output/braille-chart.ts')
      const drawn = tableCharts(response, aliases).map(chart => brailleChart(chart, screen))
      return yield drawn.length === 0 ? 'No rows.\n' : drawn.join('\n')
    }
  }
}

async function* textTable(table: ResultTable, query: unknown, { width, color, isWide }: Screen): Pieces {
  const [{ toColumns }, { tablePieces }] = await Promise.all([
    import('../../table/json.ts'),
    import('../../output/text-table.ts'),
  ])
  const lists = Object.entries(toColumns(table))
  const columns = lists.map(([name, cells]) => ({
    name,
    title: resultHeading(name, query),
    value: (row: number): Cell => cells[row],
  }))
  const screen = { width: isWide ? undefined : width, isColored: color }
  yield* tablePieces(rowNumbers(table.numRows), { columns, empty: 'No rows.' }, screen)
}

async function* rowNumbers(count: number): AsyncGenerator<readonly number[]> {
  for (let from = 0; from < count; from += ROWS_AT_ONCE) {
    yield Array.from({ length: Math.min(ROWS_AT_ONCE, count - from) }, (_, i) => from + i)
  }
}

/** Returns an archive with a file for each table: `0.csv`, `1.csv` … */
async function packArchive(
  tables: readonly ResultTable[],
  { format }: QueryTarget,
  options: RenderOptions,
): Promise<Uint8Array> {
  const { toTarGzip } = await import('../../table/tar.ts')
  const files = []
  for (const [i, table] of tables.entries()) {
    const bytes = await collectBytes(renderTable(table, format, { ...options, toFile: true }, undefined))
    files.push({ name: `${i}.${format}`, bytes })
  }
  return toTarGzip(files)
}
