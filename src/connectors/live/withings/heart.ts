/** Reads electrocardiograms: what was found, and the voltage of every sample. */
import { type EpochMs, formatInstant, localDate, SECOND_MS } from '../../../core/time.ts'
import { asList, asNumber, asText, type JsonObject, member } from '../../files/json/fields.ts'
import { electrocardiogramSummary } from '../../shared/summaries.ts'
import { converted, numberAt, withTexts } from '../field-table.ts'
import { versionOf } from '../windows.ts'
import { sourceTypeOf } from './models.ts'
import { type Reading, sourceOf } from './record.ts'
import { offsetAt, zoneOf } from './requests.ts'
import { ECG_MODELS, RHYTHMS } from './tables.ts'

/** Two samples in one millisecond could not be told apart. */
const MOST_HZ = 1000

/** An electrocardiogram in the list of recordings. */
export interface Recording {
  readonly id: string
  readonly row: JsonObject
  readonly start: EpochMs
}

/** Returns undefined for a recording without an electrocardiogram: the list also has those of a stethoscope. */
export function recordingOf(row: JsonObject | undefined): Recording | undefined {
  const ecg = member(row, 'ecg') as JsonObject | undefined
  const id = withTexts(ecg, 'signalid')?.signalid
  const timestamp = numberAt(row, 'timestamp')
  if (row === undefined || id === undefined || timestamp === undefined) return undefined
  return { id, row, start: timestamp * SECOND_MS }
}

/** `signal` is the answer with the samples, in μV; `answer` the one that lists the recording. */
export function readRecording(reading: Reading, { id, row, start }: Recording, signal: unknown, answer: unknown): void {
  const { page, asked } = reading
  const zone = zoneOf(row, answer) ?? asked.timeZone
  const offset = offsetAt(zone, start)
  const microvolts = asList(member(signal, 'signal'))
  const hz = numberAt(signal, 'sampling_frequency') ?? 0
  const isTimed = hz > 0 && hz <= MOST_HZ
  const sourceType = sourceTypeOf(row) ?? 'unknown'
  const source = sourceOf(reading, id, { date: localDate(start, offset), offset, sourceType })
  const record = page.record(id, versionOf(row, signal, zone))
  const model = numberAt(row, 'model')
  record.summary(
    electrocardiogramSummary(source, start, {
      session_end: formatInstant(start + (isTimed ? Math.round((microvolts.length / hz) * SECOND_MS) : 0)),
      voltage_sample_count: microvolts.length,
      heart_rate_mean: numberAt(row, 'heart_rate') ?? null,
      sampling_frequency_hz: isTimed ? hz : null,
      ...(RHYTHMS[numberAt(row, 'ecg.afib') ?? -1] ?? {}),
      time_zone: zone,
      source_device_model: asText(row['model']) ?? (model === undefined ? null : (ECG_MODELS[model] ?? null)),
    }),
  )
  if (!isTimed) page.skip('heart get.signal', microvolts.length)
  else {
    for (const [i, each] of microvolts.entries()) {
      const value = asNumber(each)
      if (value === undefined) page.skip('heart get.signal')
      else {
        const at = { start: start + (i * SECOND_MS) / hz, offset }
        const voltage = { resource: 'electrocardiogram_voltage', type: 'lead_1', sourceType }
        record.samples.add({ ...voltage, ...at, value: converted({ per: 1000 }, value) }, 'heart get.signal')
      }
    }
  }
}
