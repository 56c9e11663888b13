/** What rendering of an aggregate answer was asked for, and where it goes: --output, --json, --chart and -o taken together. */
import { ServiceError } from '../../core/errors.ts'
import type { FileFormat, OutputFormat } from '../../output/render.ts'
import { checkEnding, checkRedirected } from '../runtime/answer-file.ts'

export type QueryFormat = OutputFormat | FileFormat | 'chart'

export interface QueryTarget {
  readonly format: QueryFormat
  /** The answers are the files of a tar.gz, in the order of the queries. */
  readonly isArchive: boolean
}

export interface Asked {
  /** What the command line itself asks for; undefined: nothing. */
  readonly formatFlag: OutputFormat | FileFormat | undefined
  /** Of a variable, or what a terminal or a pipe gets. */
  readonly otherwise: OutputFormat | FileFormat
  readonly chart: boolean
  /** File of -o. */
  readonly out: string | undefined
}

/** By the ending of a file. */
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
/** What the files of an archive can be. */
const ARCHIVED: readonly QueryFormat[] = ['parquet', 'csv', 'ndjson', 'arrow']

/** What stands on the command line goes first, then the ending of the file. Throws ServiceError `usage`. */
export function queryTarget({ formatFlag, otherwise, chart, out }: Asked): QueryTarget {
  if (chart && formatFlag !== undefined) {
    throw new ServiceError('usage', `--chart and --output ${formatFlag} exclude each other.`, {
      suggestions: ['--output svg is the chart as a picture.'],
    })
  }
  if (out !== undefined && ARCHIVE.test(out)) return archived(chart ? 'chart' : (formatFlag ?? 'parquet'))
  if (formatFlag !== undefined && out !== undefined) checkEnding(out, formatFlag, FORMATS)
  const format = formatFlag ?? (out === undefined ? otherwise : formatOf(out, chart))
  if (chart) {
    if (out !== undefined && format !== 'svg' && format !== 'chart') throw noDrawing(out)
    return { format: format === 'svg' ? 'svg' : 'chart', isArchive: false }
  }
  if (out === undefined && (format === 'parquet' || format === 'arrow')) {
    checkRedirected(format === 'parquet' ? 'Parquet' : 'Arrow')
  }
  return { format, isArchive: false }
}

/** Throws ServiceError `usage` where a format holds the answer of one query and there are several. */
export function checkOne({ format, isArchive }: QueryTarget, queries: number): void {
  if (queries === 1 || isArchive || !['csv', 'parquet', 'arrow', 'svg'].includes(format)) return
  throw new ServiceError('usage', `${format} holds the answer of one query, and here are ${queries}.`, {
    suggestions:
      format === 'svg'
        ? ['Draw one query at a time.']
        : [`-o FILE.tar.gz --output ${format} writes a file a query; json and ndjson hold several answers.`],
  })
}

function noDrawing(file: string): ServiceError {
  const ending = /\.\w+$/.exec(file)?.[0] ?? ''
  return new ServiceError('usage', `--chart draws, and a file that ends with ${ending} holds data.`, {
    suggestions: ['-o FILE.svg is a picture, -o FILE.txt the drawing of a terminal; leave out --chart for the data.'],
  })
}

function archived(format: QueryFormat): QueryTarget {
  if (ARCHIVED.includes(format)) return { format, isArchive: true }
  throw new ServiceError('usage', `A .tar.gz holds files of ${ARCHIVED.join(', ')}, not of ${format}.`)
}

function formatOf(file: string, chart: boolean): QueryFormat {
  const ending = /\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? ''
  const format = FORMATS[ending]
  if (format) return format
  if (chart) return 'chart'
  const known = [...Object.keys(FORMATS), 'tar.gz'].map(each => `.${each}`)
  throw new ServiceError('usage', `-o takes a name that ends with ${known.join(', ')}.`, {
    suggestions: ['With --output FORMAT it takes any name.', 'With --all-users it takes a folder.'],
  })
}
