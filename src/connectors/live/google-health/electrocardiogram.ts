/** Turns the electrocardiograms of Google Health into summaries, with their voltages as samples. */
import { formatInstant, localDate, SECOND_MS } from '../../../core/time.ts'
import type { PullRequest } from '../../connector.ts'
import { asList, asText, member } from '../../files/json/fields.ts'
import { summaryAt } from '../../shared/summaries.ts'
import { numberAt } from '../field-table.ts'
import type { MappingRow } from '../live-connector.ts'
import type { LivePage } from '../page.ts'
import { versionOf } from '../windows.ts'
import { PROVIDER } from './data-types.ts'
import { type Point, readInterval } from './point.ts'

export const ECG_TYPE = 'electrocardiogram'

interface Finding {
  readonly classification: string
  readonly cause: string | null
}

/** What Google found, as the fields `classification` and `inconclusive_cause`. A reading that was not analyzed has neither. */
const FINDINGS: Readonly<Record<string, Finding>> = {
  NORMAL_SINUS_RHYTHM: { classification: 'sinus_rhythm', cause: null },
  ATRIAL_FIBRILLATION: { classification: 'atrial_fibrillation', cause: null },
  INCONCLUSIVE: { classification: 'inconclusive', cause: null },
  INCONCLUSIVE_HIGH_HEART_RATE: { classification: 'inconclusive', cause: 'high_heart_rate' },
  INCONCLUSIVE_LOW_HEART_RATE: { classification: 'inconclusive', cause: 'low_heart_rate' },
  UNREADABLE: { classification: 'inconclusive', cause: 'poor_reading' },
}

export const ECG_MAPPING: readonly MappingRow[] = [
  {
    from: 'electrocardiogram.waveformSamples',
    to: 'electrocardiogram_voltage',
    rule: '÷ millivoltsScalingFactor; samplingFrequencyHertz a second from the start, lead_1',
  },
  {
    from: 'electrocardiogram.waveformSamples',
    to: 'electrocardiogram.voltage_sample_count',
    rule: 'their number, which also says when the session ends',
  },
  { from: 'electrocardiogram.samplingFrequencyHertz', to: 'electrocardiogram.sampling_frequency_hz', rule: '' },
  { from: 'electrocardiogram.beatsPerMinuteAvg', to: 'electrocardiogram.heart_rate_mean', rule: '' },
  ...Object.entries(FINDINGS).map(([name, { classification, cause }]) => ({
    from: `electrocardiogram.resultClassification ${name}`,
    to: 'electrocardiogram.classification',
    rule: cause === null ? classification : `${classification}; inconclusive_cause ${cause}`,
  })),
  {
    from: 'electrocardiogram.medicalDeviceInfo',
    to: 'electrocardiogram.algorithm_version, electrocardiogram.source_device_model',
    rule: 'algorithmVersion, deviceModel',
  },
]
const KNOWN = new Set([
  ...['interval', 'waveformSamples', 'samplingFrequencyHertz', 'millivoltsScalingFactor', 'leadNumber'],
  ...['beatsPerMinuteAvg', 'resultClassification', 'medicalDeviceInfo'],
])

/** Adds the record of an electrocardiogram, or counts it if it cannot be read. */
export function addElectrocardiogram({ body, id, sourceType }: Point, asked: PullRequest, page: LivePage): void {
  const interval = readInterval(body)
  if (interval === undefined) {
    page.skip(`${ECG_TYPE} without a time`)
    return
  }
  page.skipOthers(body, KNOWN, ECG_TYPE)
  const { ms: start, offset } = interval.start
  const waveform = asList(body['waveformSamples'])
  const hertz = numberAt(body, 'samplingFrequencyHertz') ?? 0
  const source = {
    userId: asked.userId,
    provider: PROVIDER,
    sourceType: sourceType ?? 'watch',
    recordId: id ?? formatInstant(start),
    date: localDate(start, offset),
    offset,
  }
  const record = page.record(source.recordId, versionOf(body, asked.resources))
  const finding = FINDINGS[String(body['resultClassification'])]
  // the interval of Google ends where it starts
  const end = hertz > 0 ? start + Math.round((waveform.length * SECOND_MS) / hertz) : interval.end.ms
  record.summary(
    summaryAt(source, 'electrocardiogram', start, {
      session_start: formatInstant(start),
      session_end: formatInstant(end),
      voltage_sample_count: waveform.length,
      heart_rate_mean: numberAt(body, 'beatsPerMinuteAvg') ?? null,
      sampling_frequency_hz: hertz > 0 ? hertz : null,
      classification: finding?.classification ?? null,
      inconclusive_cause: finding?.cause ?? null,
      algorithm_version: asText(member(body['medicalDeviceInfo'], 'algorithmVersion')) ?? null,
      time_zone: null,
      source_provider: PROVIDER,
      source_type: source.sourceType,
      source_app_id: null,
      source_device_id: null,
      source_device_model: asText(member(body['medicalDeviceInfo'], 'deviceModel')) ?? null,
    }),
  )
  const scale = numberAt(body, 'millivoltsScalingFactor') ?? 0
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
