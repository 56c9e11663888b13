/** Reads an exercise's points from its sample lists and its route. */
import { type EpochMs, SECOND_MS } from '../../../core/time.ts'
import { asNumber, asText } from '../../shared/json-fields.ts'
import { ActivityPoints, type PointValues } from '../../shared/points.ts'
import { converted } from '../field-table.ts'
import type { LivePage } from '../page.ts'
import type { RecordView } from '../record-view.ts'
import { SAMPLE_LISTS, type SampleList } from './mapping.ts'
import { durationMs } from './times.ts'

/** Maximum number of values, which corresponds to an exercise of eleven days at one value per second. */
const MOST_VALUES = 1_000_000

/** Returns the points. The values of all lists at the same time form one point. Lists that have no column in a stream are counted. */
export function collectPoints(exercise: RecordView, start: EpochMs, page: LivePage): ActivityPoints {
  const rows = new Map<EpochMs, { -readonly [name in keyof PointValues]: PointValues[name] }>()
  const rowAt = (time: EpochMs) => {
    let row = rows.get(time)
    if (row === undefined) {
      row = {}
      rows.set(time, row)
    }
    return row
  }
  for (const list of exercise.objects('samples')) {
    const type = String(list['sample_type'])
    const values = splitValues(list['data'])
    const rate = asNumber(list['recording_rate'])
    const target = Object.hasOwn(SAMPLE_LISTS, type) ? SAMPLE_LISTS[type] : undefined
    if (target === undefined || rate === undefined || rate <= 0 || values.length > MOST_VALUES) {
      page.skip(`exercise.samples.${/^\d{1,3}$/.test(type) ? type : 'other'}`, values.length)
      continue
    }
    for (const [i, text] of values.entries()) {
      const value = measured(text, target)
      // there may be lists for both running cadence and cadence; the first list is used
      if (value === undefined) continue
      const row = rowAt(start + Math.round(i * rate * SECOND_MS))
      row[target.to] ??= value
    }
  }
  for (const point of exercise.objects('route')) {
    const at = durationMs(point['time'])
    const [lat, lng] = [asNumber(point['latitude']), asNumber(point['longitude'])]
    const isPoint = lat !== undefined && lng !== undefined && Math.abs(lat) <= 90 && Math.abs(lng) <= 180
    if (at === undefined || !isPoint) page.skip('exercise.route')
    else Object.assign(rowAt(start + at), { lat, lng })
  }
  const points = new ActivityPoints()
  if (rows.size > MOST_VALUES) {
    page.skip('exercise.samples', rows.size)
    return points
  }
  for (const time of [...rows.keys()].sort((a, b) => a - b)) points.add(time, rows.get(time) ?? {})
  return points
}

/** Returns a list's values as text. A gap is an empty text or `null`. */
function splitValues(data: unknown): readonly string[] {
  const text = asText(data) ?? ''
  return text === '' ? [] : text.split(',')
}

function measured(text: string, list: SampleList): number | undefined {
  const value = asNumber(text.trim())
  return value === undefined || (list.isPositive && value <= 0) ? undefined : converted(list, value)
}
