/** Reads electrocardiograms: the findings and every sample's voltage. */
import { formatInstant, localDate, SECOND_MS } from '../../../core/time.ts'
import type { TokenSession } from '../../provider-session.ts'
import { asList, asNumber, asObject, asText, member } from '../../shared/json-fields.ts'
import { electrocardiogramSummary } from '../../shared/summaries.ts'
import { converted, numberAt, withTexts } from '../field-table.ts'
import type { LivePage } from '../page.ts'
import { contentVersion, isWithin } from '../windows.ts'
import { readSourceType } from './models.ts'
import { callApi, findZone, offsetAt, toSecondsRange, type WithingsList, type WithingsRow } from './requests.ts'
import { ECG_MODELS, RHYTHMS } from './tables.ts'

/** Maximum sampling frequency, because two samples in one millisecond would be indistinguishable. */
const MOST_HZ = 1000

export const RECORDINGS: WithingsList = {
  path: '/v2/heart',
  list: 'series',
  form: ({ window }) => ({ action: 'list', ...toSecondsRange(window) }),
}

/** Adds an electrocardiogram. The list also contains stethoscope recordings without an electrocardiogram. */
export async function readRecording({ row, body }: WithingsRow, page: LivePage, session: TokenSession): Promise<void> {
  const id = withTexts(asObject(row?.['ecg']), 'signalid')?.signalid
  const timestamp = numberAt(row, 'timestamp')
  if (row === undefined || id === undefined || timestamp === undefined) {
    return page.skip('heart list (without an electrocardiogram)')
  }
  const { asked } = page
  const start = timestamp * SECOND_MS
  if (!isWithin(asked, start)) return
  // the samples, in μV
  const signal = await callApi(session, '/v2/heart', { action: 'get', signalid: id })
  const zone = findZone(row, body) ?? asked.timeZone
  const offset = offsetAt(zone, start)
  const microvolts = asList(member(signal, 'signal'))
  const hz = numberAt(signal, 'sampling_frequency') ?? 0
  const isTimed = hz > 0 && hz <= MOST_HZ
  const sourceType = readSourceType(row) ?? 'unknown'
  const source = page.source(id, { date: localDate(start, offset), offset, sourceType })
  const record = page.record(id, contentVersion(row, signal, zone))
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
