/** The samples of a walk in the format that was asked for, piece by piece: csv and ndjson hold no more than a page in memory. */
import { resourceNamed, type TimeseriesResource } from '../../catalogue/resources.ts'
import { type FileFormat, type OutputFormat, render } from '../../output/render.ts'
import type { Cell, Column } from '../../output/view.ts'
import type { Cell as FileCell } from '../../table/cells.ts'
import { csvRecord } from '../../table/csv.ts'
import type { Pieces } from '../runtime/answer-file.ts'
import { MergedAnswer } from './merged-answer.ts'
import { sampleChart } from './sample-chart.ts'
import { inTimeOrder, type Page, type SampleRow } from './sample-pages.ts'
import { SampleRows, sampleColumns } from './sample-rows.ts'

export type SampleFormat = OutputFormat | Exclude<FileFormat, 'arrow'> | 'chart'

/** Where it is shown. */
export interface Screen {
  readonly isTerminal: boolean
  /** Columns of the terminal; undefined in a pipe or a file, and where the terminal does not know. */
  readonly width: number | undefined
  readonly height: number | undefined
  readonly color: boolean
  /** See `CsvOptions`. */
  readonly isSafeCsv: boolean
}

/** Columns of a chart where there is no terminal. */
const CHART_WIDTH = 80
/** Rows that are written at once to a Parquet file. */
const PARQUET_ROWS = 65_536

/** Reads the pages as it is read itself; nothing comes before the first page did. */
export function sampleAnswer(format: SampleFormat, name: string, pages: AsyncIterable<Page>, screen: Screen): Pieces {
  // an unknown name is the service's to refuse: until then it has the columns of most
  const resource = resourceNamed(name) ?? { ...(resourceNamed('steps') as TimeseriesResource), name }
  const rows = rowsOf(pages, resource)
  switch (format) {
    case 'json':
      return json(pages, screen.isTerminal)
    case 'table':
      return table(rows, resource, screen.width)
    case 'csv':
      return csv(rows, resource, screen.isSafeCsv)
    case 'ndjson':
      return ndjson(rows, resource)
    case 'parquet':
      return parquet(rows, resource)
    case 'chart':
      return chart(pages, resource, screen)
    case 'svg':
      return svg(pages, resource)
  }
}

/** The rows of a page at a time. */
type Rows = AsyncIterable<readonly SampleRow[]>

async function* rowsOf(pages: AsyncIterable<Page>, resource: TimeseriesResource): Rows {
  for await (const page of pages) yield inTimeOrder(page, resource.discriminator !== undefined)
}

async function* json(pages: AsyncIterable<Page>, indent: boolean): Pieces {
  const answer = new MergedAnswer()
  for await (const page of pages) answer.add(page)
  if (!indent) return yield* answer.text()
  const pieces: Uint8Array[] = []
  for await (const piece of answer.text()) pieces.push(Buffer.from(piece))
  yield `${JSON.stringify(JSON.parse(Buffer.concat(pieces).toString()), null, 2)}\n`
}

async function* ndjson(pages: Rows, resource: TimeseriesResource): Pieces {
  const lines = new SampleRows(resource)
  for await (const rows of pages) yield rows.map(row => lines.ndjson(row)).join('')
}

async function* csv(pages: Rows, resource: TimeseriesResource, isSafe: boolean): Pieces {
  const lines = new SampleRows(resource, { isSafe })
  let head = csvRecord(lines.names)
  for await (const rows of pages) {
    yield head + rows.map(row => lines.csv(row)).join('')
    head = ''
  }
}

async function* table(pages: Rows, resource: TimeseriesResource, width: number | undefined): Pieces {
  const lines = new SampleRows(resource)
  const rows: Cell[][] = []
  for await (const block of pages) for (const row of block) rows.push(lines.cells(row))
  // all rows are of the resource that was asked for
  const columns = lines.names
    .map((name, i): Column<Cell[]> => ({ name, value: row => row[i] }))
    .filter(({ name }) => name !== 'resource')
  yield await render('table', null, { rows, columns, empty: 'No samples there.' }, { indent: false, width })
}

async function* parquet(pages: Rows, resource: TimeseriesResource): Pieces {
  const { openParquet } = await import('../../table/parquet.ts')
  const lines = new SampleRows(resource)
  const columns = sampleColumns(resource)
  const file = await openParquet(columns)
  let waiting = columns.map((): FileCell[] => [])
  for await (const rows of pages) {
    for (const row of rows) {
      for (const [i, cell] of lines.cells(row).entries()) {
        const isTime = columns[i]?.kind === 'instant' && typeof cell === 'string'
        waiting[i]?.push(isTime ? Date.parse(cell) : (cell ?? null))
      }
    }
    if ((waiting[0]?.length ?? 0) < PARQUET_ROWS) continue
    yield file.rows(waiting)
    waiting = columns.map(() => [])
  }
  yield file.rows(waiting)
  yield file.end()
}

async function* chart(pages: AsyncIterable<Page>, resource: TimeseriesResource, screen: Screen): Pieces {
  const [{ brailleChart }, drawn] = await Promise.all([
    import('../../output/braille-chart.ts'),
    sampleChart(pages, resource),
  ])
  yield brailleChart(drawn, { ...screen, width: screen.width ?? CHART_WIDTH })
}

async function* svg(pages: AsyncIterable<Page>, resource: TimeseriesResource): Pieces {
  const [{ svgChart }, drawn] = await Promise.all([import('../../output/svg-chart.ts'), sampleChart(pages, resource)])
  yield svgChart(drawn)
}
