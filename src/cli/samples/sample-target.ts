/** What format of samples was asked for, and where they go: --output, --json, --chart and -o taken together. */
import { ServiceError } from '../../core/errors.ts'
import type { FileFormat, OutputFormat } from '../../output/render.ts'
import { checkEnding, checkRedirected } from '../runtime/answer-file.ts'
import type { SampleFormat } from './sample-answer.ts'

type SampleFile = Exclude<FileFormat, 'arrow'>

export interface Asked {
  /** What the command line itself asks for; undefined: nothing. */
  readonly formatFlag: OutputFormat | SampleFile | undefined
  /** Of a variable, or what a terminal or a pipe gets. */
  readonly otherwise: OutputFormat | SampleFile
  readonly chart: boolean
  /** File of -o. */
  readonly out: string | undefined
}

/** By the ending of a file. */
const FORMATS: Readonly<Record<string, SampleFormat>> = {
  parquet: 'parquet',
  svg: 'svg',
  csv: 'csv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
}

/** What stands on the command line goes first, then the ending of the file. Throws ServiceError `usage`. */
export function sampleFormat({ formatFlag, otherwise, chart, out }: Asked): SampleFormat {
  if (chart && formatFlag !== undefined) {
    throw new ServiceError('usage', `--chart and --output ${formatFlag} exclude each other.`, {
      suggestions: ['--output svg is the chart as a picture.'],
    })
  }
  if (formatFlag !== undefined && out !== undefined) checkEnding(out, formatFlag, FORMATS)
  const format = chart ? 'chart' : (formatFlag ?? (out === undefined ? otherwise : formatOf(out)))
  if (format === 'parquet' && out === undefined) checkRedirected('Parquet')
  return format
}

function formatOf(file: string): SampleFormat {
  const ending = /\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? ''
  const format = FORMATS[ending]
  if (format) return format
  const known = Object.keys(FORMATS).map(each => `.${each}`)
  throw new ServiceError('usage', `-o takes a name that ends with ${known.join(', ')}.`, {
    suggestions: ['With --output FORMAT it takes any name.'],
  })
}
