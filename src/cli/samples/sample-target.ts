/** Decides the format of samples from --output, --json, --chart and -o. */
import type { FileFormat, OutputFormat } from '../../output/render.ts'
import { checkRedirected } from '../answers/answer-file.ts'
import { type AskedFormat, checkChart, checkEnding, formatOfEnding, unknownEnding } from '../answers/asked-format.ts'
import type { SampleFormat } from './sample-answer.ts'

type SampleFile = Exclude<FileFormat, 'arrow'>

/** Formats by file extension. */
const FORMATS: Readonly<Record<string, SampleFormat>> = {
  parquet: 'parquet',
  svg: 'svg',
  csv: 'csv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
}

/** Returns the format. The command line takes precedence over the file extension. Throws ServiceError `usage`. */
export function sampleFormat(asked: AskedFormat<OutputFormat | SampleFile>): SampleFormat {
  checkChart(asked)
  const { formatFlag, otherwise, chart, out } = asked
  if (formatFlag !== undefined && out !== undefined) checkEnding(out, formatFlag, FORMATS)
  const format = chart ? 'chart' : (formatFlag ?? (out === undefined ? otherwise : formatOf(out)))
  if (format === 'parquet' && out === undefined) checkRedirected('Parquet')
  return format
}

function formatOf(file: string): SampleFormat {
  const format = formatOfEnding(file, FORMATS)
  if (format) return format
  throw unknownEnding(Object.keys(FORMATS))
}
