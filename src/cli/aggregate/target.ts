/** Determines the format and destination of an aggregate response from --output, --json, --chart and -o. */
import { ServiceError } from '../../core/errors.ts'
import type { FileFormat, OutputFormat } from '../../output/render.ts'
import { checkRedirected } from '../output/output-file.ts'
import {
  checkChart,
  checkExtension,
  type FormatFlags,
  formatForExtension,
  unknownExtension,
} from '../output/output-format.ts'

export type QueryFormat = OutputFormat | FileFormat | 'chart'

export interface QueryTarget {
  readonly format: QueryFormat
  /** Whether the responses are files in a tar.gz, in query order. */
  readonly isArchive: boolean
}

export type RequestedFormat = FormatFlags<OutputFormat | FileFormat>

/** Formats by file extension. */
const FORMATS: Readonly<Record<string, QueryFormat>> = {
  parquet: 'parquet',
  csv: 'csv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  arrow: 'arrow',
  json: 'json',
  svg: 'svg',
}
const ARCHIVE = /\.(tar\.gz|tgz)$/i
/** Allowed formats of files in an archive. */
const ARCHIVED: readonly QueryFormat[] = ['parquet', 'csv', 'ndjson', 'arrow']

/** Returns the target. Flags take precedence over the file extension. Throws ServiceError `usage`. */
export function queryTarget(requested: RequestedFormat): QueryTarget {
  checkChart(requested)
  const { formatFlag, otherwise, chart, out } = requested
  if (out !== undefined && ARCHIVE.test(out)) return archived(chart ? 'chart' : (formatFlag ?? 'parquet'))
  if (formatFlag !== undefined && out !== undefined) checkExtension(out, formatFlag, FORMATS)
  const format = formatFlag ?? (out === undefined ? otherwise : fileFormat(out, chart))
  if (chart) {
    if (out !== undefined && format !== 'svg' && format !== 'chart') throw noDrawing(out)
    return { format: format === 'svg' ? 'svg' : 'chart', isArchive: false }
  }
  if (out === undefined && (format === 'parquet' || format === 'arrow')) {
    checkRedirected(format === 'parquet' ? 'Parquet' : 'Arrow')
  }
  return { format, isArchive: false }
}

/** Throws ServiceError `usage` when the format can contain only one response and there are several queries. */
export function checkOne({ format, isArchive }: QueryTarget, queries: number): void {
  if (queries === 1 || isArchive || !['csv', 'parquet', 'arrow', 'svg'].includes(format)) return
  throw new ServiceError('usage', `${format} can contain the result of only one query, but ${queries} were given.`, {
    suggestions:
      format === 'svg'
        ? ['Draw one query at a time.']
        : [
            `Use -o FILE.tar.gz --output ${format} to write one file for each query, or use json or ndjson for several results.`,
          ],
  })
}

function noDrawing(file: string): ServiceError {
  const ending = /\.\w+$/.exec(file)?.[0] ?? ''
  return new ServiceError('usage', `--chart draws a chart, but a file that ends with ${ending} contains data.`, {
    suggestions: ['Use -o FILE.svg for a picture or -o FILE.txt for text, or leave out --chart to get the data.'],
  })
}

function archived(format: QueryFormat): QueryTarget {
  if (ARCHIVED.includes(format)) return { format, isArchive: true }
  throw new ServiceError('usage', `A .tar.gz can contain ${ARCHIVED.join(', ')} files, but not ${format}.`)
}

function fileFormat(file: string, chart: boolean): QueryFormat {
  const format = formatForExtension(file, FORMATS)
  if (format) return format
  if (chart) return 'chart'
  throw unknownExtension([...Object.keys(FORMATS), 'tar.gz'], 'With --all-users, -o must be a folder.')
}
