/** Reads electrocardiograms, which are CSV files next to the export.xml in an export.zip. They become summaries and voltages. */
import { formatInstant, localDate, SECOND_MS } from '../../../core/time.ts'
import { readTime } from '../../shared/record-time.ts'
import { electrocardiogramSummary } from '../../shared/summaries.ts'
import type { Piece } from '../bytes/file-pieces.ts'
import type { RecordImport } from '../records/import.ts'
import { conversionFor } from '../records/units.ts'
import { FINDINGS, HERTZ } from './electrocardiogram-words.ts'

/** Maximum size of a file. A recording of 30 seconds has about 150 KiB. */
const MOST_BYTES = 1_048_576
/** Maximum sampling frequency, because two samples in one millisecond would be indistinguishable. */
const MOST_HZ = 1000
const RESOURCE = 'electrocardiogram_voltage'
const VOLTAGE = 'a voltage of an electrocardiogram'
/** A line with a voltage. Whether the decimal mark is a comma depends on the phone's region. */
const NUMBER = /^[+-]?\d+(?:[.,]\d+)?$/
const TIME = /^\d{4}-\d{2}-\d{2} \d{1,2}:\d{2}:\d{2}/
const VERSION = /^\d{1,3}(?:\.\d{1,3}){0,2}$/
const MODEL = /^(?:Apple )?Watch[\d, ]*$/
const UNIT = /^.{0,2}V$/u

/** Reads the files, which are in the order of their names, and yields after each one. A file that cannot be read counts as skipped. */
export async function* electrocardiograms(
  importing: RecordImport,
  files: Iterable<AsyncIterable<Piece>>,
): AsyncGenerator<void> {
  const seen = new Set<number>()
  let number = 0
  for (const file of files) {
    const position = `electrocardiogram ${++number}`
    const text = await readText(file)
    importing.records++
    const problem = text === undefined ? 'is larger than 1 MiB' : addRecording(importing, text, seen, position)
    if (problem !== undefined) importing.skip(`an electrocardiogram ${problem}`, position)
    yield
  }
}

async function readText(file: AsyncIterable<Piece>): Promise<string | undefined> {
  let text = Buffer.alloc(0)
  for await (const { bytes } of file) {
    text = Buffer.concat([text, bytes])
    if (text.length > MOST_BYTES) return undefined
  }
  return text.toString('utf8')
}

/** Adds a recording. Returns the reason why it is skipped, as a text that follows its name. */
function addRecording(importing: RecordImport, text: string, seen: Set<number>, position: string): string | undefined {
  const { userId, timeZone } = importing.context
  const lines = text.split(/\r?\n/).map(line => line.trim())
  const firstNumber = lines.findIndex(line => NUMBER.test(line))
  const { time, hertz, unit, finding, version, model } = readHeader(lines.slice(0, firstNumber), timeZone)
  if (time === undefined || firstNumber === -1) return 'has no time or no voltages'
  const { ms: start, offset } = time
  const problem = importing.timesProblem(start, start)
  if (problem !== undefined) return problem
  if (seen.has(start)) return 'starts at the same time as another one'
  seen.add(start)
  const voltages = lines.slice(firstNumber).filter(line => line !== '')
  importing.records += voltages.length
  const sourceType = importing.chooseSourceType('watch')
  const { provider } = importing
  const date = localDate(start, offset)
  const origin = { userId, provider, sourceType, recordId: [sourceType, start], date, offset }
  const summary = electrocardiogramSummary(origin, start, {
    session_end: formatInstant(start + (hertz === undefined ? 0 : Math.round((voltages.length / hertz) * SECOND_MS))),
    voltage_sample_count: voltages.length,
    sampling_frequency_hz: hertz,
    ...finding,
    algorithm_version: version,
    source_device_model: model,
  })
  importing.addItem({ kind: 'summary', summary })
  const convert = unit === undefined ? null : conversionFor(RESOURCE, unit)
  if (hertz === undefined || convert === null) {
    importing.skip(`${VOLTAGE} has no sampling frequency or no unit that can be read`, position, voltages.length)
    return undefined
  }
  for (const [i, line] of voltages.entries()) {
    if (!NUMBER.test(line)) importing.skip(`${VOLTAGE} is not a number`, position)
    else {
      const value = convert(Number(line.replace(',', '.')))
      const sample = {
        resource: RESOURCE,
        type: 'lead_1',
        sourceType,
        start: start + (i * SECOND_MS) / hertz,
        offset,
        value,
      }
      importing.add(sample, VOLTAGE, position)
    }
  }
  return undefined
}

/**
 * Reads the lines above the voltages, `name,value`. Their names are in the phone's language, so each value is recognized by its own form, and
 * a finding by its words. The lines before the time are the person's name and birth date, which are not read.
 */
function readHeader(lines: readonly string[], timeZone: string | null) {
  const all = lines.map(line => line.slice(line.indexOf(',') + 1).replaceAll('"', ''))
  const trimmed = all.map(value => value.trim())
  const values = trimmed.slice(trimmed.findIndex(value => TIME.test(value)))
  const find = (form: RegExp): string | undefined => values.find(value => form.test(value))
  const rate = HERTZ.exec(find(HERTZ) ?? '')?.[1]
  const hertz = rate === undefined ? Number.NaN : Number(rate.replace(',', '.'))
  return {
    time: readTime(find(TIME), timeZone),
    hertz: hertz > 0 && hertz <= MOST_HZ ? hertz : undefined,
    unit: find(UNIT),
    finding: values.map(value => FINDINGS.get(value.toLowerCase())).find(each => each !== undefined),
    version: find(VERSION),
    model: find(MODEL),
  }
}
