/** Renders the samples of a traversal in the requested format, piece by piece. csv, ndjson and tables keep at most one page in memory. */
import { resourceNamed, type TimeseriesResource } from '../../catalogue/resources.ts'
import { type RowPages, samplesAsCsv, samplesAsParquet } from '../../engine/readings/sample-file.ts'
import { type GroupedPage, inTimeOrder } from '../../engine/readings/sample-order.ts'
import { SampleRows, sampleFields } from '../../engine/readings/sample-rows.ts'
import type { FileFormat, OutputFormat } from '../../output/render.ts'
import type { Screen } from '../../output/screen.ts'
import { type Cell, type Column, ranked } from '../../output/view.ts'
import type { Pieces } from '../output/output-file.ts'
import { MergedResponse } from './merged-response.ts'
import { sampleChart } from './sample-chart.ts'

export type SampleFormat = OutputFormat | Exclude<FileFormat, 'arrow'> | 'chart'

/** Options for showing the response. */
export interface SampleScreen extends Screen {
  /** See `CsvOptions`. */
  readonly isSafeCsv: boolean
}

/** Renders the pages while the response is being read. Yields nothing before the first page arrives. */
export function renderSamples(
  format: SampleFormat,
  name: string,
  pages: AsyncIterable<GroupedPage>,
  screen: SampleScreen,
): Pieces {
  // The service refuses an unknown name. Until then, use the most common columns.
  const resource = resourceNamed(name) ?? { ...(resourceNamed('steps') as TimeseriesResource), name }
  const rows = rowPages(pages)
  switch (format) {
    case 'json':
      return json(pages, screen.isTerminal)
    case 'table':
      return table(rows, resource, screen)
    case 'csv':
      return samplesAsCsv(rows, resource, { isSafe: screen.isSafeCsv })
    case 'ndjson':
      return ndjson(rows, resource)
    case 'parquet':
      return samplesAsParquet(rows, resource)
    case 'chart':
      return chart(pages, resource, screen)
    case 'svg':
      return svg(pages, resource)
  }
}

async function* rowPages(pages: AsyncIterable<GroupedPage>): RowPages {
  for await (const page of pages) yield inTimeOrder(page)
}

async function* json(pages: AsyncIterable<GroupedPage>, indent: boolean): Pieces {
  const response = new MergedResponse()
  for await (const page of pages) response.add(page)
  if (!indent) return yield* response.text()
  const pieces: Uint8Array[] = []
  for await (const piece of response.text()) pieces.push(Buffer.from(piece))
  yield `${JSON.stringify(JSON.parse(Buffer.concat(pieces).toString()), null, 2)}\n`
}

async function* ndjson(pages: RowPages, resource: TimeseriesResource): Pieces {
  const lines = new SampleRows(resource)
  for await (const rows of pages) yield rows.map(row => lines.ndjson(row)).join('')
}

async function* table(pages: RowPages, resource: TimeseriesResource, { width, color, isWide }: Screen): Pieces {
  const { tablePieces } = await import('../../output/text-table.ts')
  const lines = new SampleRows(resource)
  // All rows have the requested resource, so the column is left out. A narrow terminal keeps the value and the time.
  const telling = ['start', ...sampleFields(resource).slice(0, 2), 'unit', 'provider', 'type', 'source_type', 'end']
  const columns = lines.names
    .map((name, i): Column<Cell[]> => ({ name, value: row => row[i] }))
    .filter(({ name }) => name !== 'resource')
  const screen = { width: isWide ? undefined : width, isColored: color }
  yield* tablePieces(
    cellPages(pages, lines),
    ranked(telling, { rows: [], columns, empty: 'No samples in this range.' }),
    screen,
  )
}

async function* cellPages(pages: RowPages, lines: SampleRows): AsyncGenerator<readonly Cell[][]> {
  for await (const rows of pages) yield rows.map(row => lines.cells(row))
}

async function* chart(pages: AsyncIterable<GroupedPage>, resource: TimeseriesResource, screen: Screen): Pieces {
  const [{ brailleChart }, drawn] = await Promise.all([
    import('../../output/braille-chart.ts'),
    sampleChart(pages, resource),
  ])
  yield brailleChart(drawn, screen)
}

async function* svg(pages: AsyncIterable<GroupedPage>, resource: TimeseriesResource): Pieces {
  const [{ svgChart }, drawn] = await Promise.all([import('../../output/svg-chart.ts'), sampleChart(pages, resource)])
  yield svgChart(drawn)
}
