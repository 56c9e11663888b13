/** Converts Google Health's electrocardiograms into summaries, and their voltages into samples. */
import { formatInstant, SECOND_MS } from '../../../core/time.ts'
import { asText, member } from '../../shared/json-fields.ts'
import { summaryAt } from '../../shared/summaries.ts'
import { rows } from '../field-table.ts'
import type { MappingRow } from '../live-connector.ts'
import type { LivePage } from '../page.ts'
import type { RecordView } from '../record-view.ts'
import { contentVersion } from '../windows.ts'
import { type Point, readInterval, sessionSource } from './point.ts'

export const ECG_TYPE = 'electrocardiogram'

interface Finding {
  readonly classification: string
  readonly cause: string | null
}

/** Google's findings, as the fields `classification` and `inconclusive_cause`. A reading that was not analysed has neither. */
const FINDINGS: Readonly<Record<string, Finding>> = {
  NORMAL_SINUS_RHYTHM: { classification: 'sinus_rhythm', cause: null },
  ATRIAL_FIBRILLATION: { classification: 'atrial_fibrillation', cause: null },
  INCONCLUSIVE: { classification: 'inconclusive', cause: null },
  INCONCLUSIVE_HIGH_HEART_RATE: { classification: 'inconclusive', cause: 'high_heart_rate' },
  INCONCLUSIVE_LOW_HEART_RATE: { classification: 'inconclusive', cause: 'low_heart_rate' },
  UNREADABLE: { classification: 'inconclusive', cause: 'poor_reading' },
}

export const ECG_MAPPING: readonly MappingRow[] = [
  ...rows(`
    electrocardiogram.waveformSamples | electrocardiogram_voltage | ÷ millivoltsScalingFactor; samplingFrequencyHertz a second from the start, lead_1
    electrocardiogram.waveformSamples | electrocardiogram.voltage_sample_count | their number, which also says when the session ends
    electrocardiogram.samplingFrequencyHertz | electrocardiogram.sampling_frequency_hz
    electrocardiogram.beatsPerMinuteAvg | electrocardiogram.heart_rate_mean
  `),
  ...Object.entries(FINDINGS).map(([name, { classification, cause }]) => ({
    from: `electrocardiogram.resultClassification ${name}`,
    to: 'electrocardiogram.classification',
    rule: cause === null ? classification : `${classification}; inconclusive_cause ${cause}`,
  })),
  ...rows(`
    electrocardiogram.medicalDeviceInfo | electrocardiogram.algorithm_version, electrocardiogram.source_device_model | algorithmVersion, deviceModel
  `),
]

/** Adds an electrocardiogram's record, or counts the electrocardiogram if it cannot be read. */
export function addElectrocardiogram(point: Point, reading: RecordView, page: LivePage) {
  const interval = readInterval(point.body)
  if (interval === undefined) return reading.leaveOut('without a time')
  const { ms: start, offset } = interval.start
  const waveform = reading.list('waveformSamples')
  const hertz = reading.number('samplingFrequencyHertz') ?? 0
  const device = reading.object('medicalDeviceInfo')
  const source = sessionSource(page, point, interval)
  const record = page.record(source.recordId, contentVersion(point.body, page.asked.resources))
  const finding = FINDINGS[String(reading.value('resultClassification'))]
  // Google's interval has the same start and end
  const end = hertz > 0 ? start + Math.round((waveform.length * SECOND_MS) / hertz) : interval.end.ms
  record.summary(
    summaryAt(source, 'electrocardiogram', start, {
      session_start: formatInstant(start),
      session_end: formatInstant(end),
      voltage_sample_count: waveform.length,
      heart_rate_mean: reading.number('beatsPerMinuteAvg') ?? null,
      sampling_frequency_hz: hertz > 0 ? hertz : null,
      classification: finding?.classification ?? null,
      inconclusive_cause: finding?.cause ?? null,
      algorithm_version: asText(member(device, 'algorithmVersion')) ?? null,
      time_zone: null,
      source_provider: page.provider,
      source_type: source.sourceType,
      source_app_id: null,
      source_device_id: null,
      source_device_model: asText(member(device, 'deviceModel')) ?? null,
    }),
  )
  const scale = reading.number('millivoltsScalingFactor') ?? 0
  if (!(hertz > 0 && scale > 0)) {
    if (waveform.length > 0) page.skip(`${ECG_TYPE}.waveformSamples without a frequency or a factor`)
    return
  }
  const common = { resource: 'electrocardiogram_voltage', type: 'lead_1', sourceType: source.sourceType, offset }
  for (const [i, value] of waveform.entries()) {
    const at = start + (i * SECOND_MS) / hertz
    if (typeof value === 'number') record.samples.add({ ...common, start: at, value: value / scale }, ECG_TYPE)
  }
}
