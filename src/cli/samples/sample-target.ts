/** Decides the format of samples from --output, --json, --chart and -o. */
import { ServiceError } from '../../core/errors.ts'
import type { FileFormat, OutputFormat } from '../../output/render.ts'
import { checkEnding, checkRedirected } from '../runtime/answer-file.ts'
import type { SampleFormat } from './sample-answer.ts'

type SampleFile = Exclude<FileFormat, 'arrow'>

export interface Asked {
  /** The format from the command line itself; undefined when there is none. */
  readonly formatFlag: OutputFormat | SampleFile | undefined
  /** The format from an environment variable, or the default for a terminal or a pipe. */
  readonly otherwise: OutputFormat | SampleFile
  readonly chart: boolean
  /** The file of -o. */
  readonly out: string | undefined
}

/** Formats by file extension. */
const FORMATS: Readonly<Record<string, SampleFormat>> = {
  parquet: 'parquet',
  svg: 'svg',
  csv: 'csv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
}

/** The command line decides first, then the file extension. Throws ServiceError `usage`. */
export function sampleFormat({ formatFlag, otherwise, chart, out }: Asked): SampleFormat {
  if (chart && formatFlag !== undefined) {
    throw new ServiceError('usage', `--chart and --output ${formatFlag} exclude each other.`, {
      suggestions: ['Use --output svg to get the chart as a picture.'],
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
  throw new ServiceError('usage', `The file of -o must end with ${known.join(', ')}.`, {
    suggestions: ['With --output FORMAT, the file can have any name.'],
  })
}
