/** Determines the format of samples from --output, --json, --chart and -o. */
import type { FileFormat, OutputFormat } from '../../output/render.ts'
import { checkRedirected } from '../output/output-file.ts'
import {
  checkChart,
  checkExtension,
  type FormatFlags,
  formatForExtension,
  unknownExtension,
} from '../output/output-format.ts'
import type { SampleFormat } from './sample-output.ts'

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

/** Returns the format. Flags take precedence over the file extension. Throws ServiceError `usage`. */
export function sampleFormat(requested: FormatFlags<OutputFormat | SampleFile>): SampleFormat {
  checkChart(requested)
  const { formatFlag, otherwise, chart, out } = requested
  if (formatFlag !== undefined && out !== undefined) checkExtension(out, formatFlag, FORMATS)
  const format = chart ? 'chart' : (formatFlag ?? (out === undefined ? otherwise : fileFormat(out)))
  if (format === 'parquet' && out === undefined) checkRedirected('Parquet')
  return format
}

function fileFormat(file: string): SampleFormat {
  const format = formatForExtension(file, FORMATS)
  if (format) return format
  throw unknownExtension(Object.keys(FORMATS))
}
