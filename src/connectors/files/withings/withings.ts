/** Importer for Withings' export: tables of weights, pressures, nights and days, and lists of what trackers measured. */
import { type IsoDate, localDate, SECOND_MS } from '../../../core/time.ts'
import { asList, asNumber } from '../../shared/json-fields.ts'
import { localTime } from '../archive/clock.ts'
import { ArchiveData } from '../archive/data.ts'
import { notRead, part, tables } from '../archive/format.ts'
import { addNight } from '../archive/nights.ts'
import { archiveImporter } from '../archive/reader.ts'
import { type FieldTable, JsonElement, type TableRow } from '../archive/record.ts'
import { addSeries, kindsOfSeries, rule, type SeriesRule } from '../archive/series.ts'

const PROVIDER = 'withings'
const POUND = 0.453_592_37
const NOT_ZERO = { none: [0] } as const
const WEIGHT: readonly SeriesRule[] = [
  rule('weight (kg)', 'body_weight', NOT_ZERO),
  rule('weight (lb)', 'body_weight', { times: POUND, ...NOT_ZERO }),
]
const PRESSURE: readonly SeriesRule[] = [
  rule('systolic', 'blood_pressure', { second: 'diastolic' }),
  rule('heart rate', 'heartrate', NOT_ZERO),
]
/** Lists of values by their file, without `raw_`. */
const RAW: Readonly<Record<string, SeriesRule>> = {
  tracker_steps: rule('value', 'steps'),
  tracker_hr: rule('value', 'heartrate', NOT_ZERO),
  hr_hr: rule('value', 'heartrate', NOT_ZERO),
  bed_hr: rule('value', 'heartrate', NOT_ZERO),
  spo2_auto_spo2: rule('value', 'blood_oxygen', NOT_ZERO),
}
/** Totals of a day by their file, without `aggregates_`, as fields of the summary. */
const TOTALS: Readonly<Record<string, string>> = {
  steps: 'steps',
  distance: 'distance',
  calories_earned: 'calories_active',
}
/** Positions of a night's times and durations in seconds. Their names are translated. */
const [FROM, TO] = [0, 1]
const DURATIONS: readonly (readonly [field: string, position: number])[] = [
  ['light', 2],
  ['deep', 3],
  ['rem', 4],
  ['awake', 5],
]
const NAMED: FieldTable = {
  hr_average: 'average heart rate',
  hr_lowest: 'heart rate (min)',
  latency: 'duration to sleep (s)',
}

class WithingsExport extends ArchiveData {
  /** Adds the values of a measurement, whose time is local. */
  measurement(rules: readonly SeriesRule[], sourceType: string, row: TableRow) {
    const local = localTime(row.text('date'))
    if (local === undefined) return
    const { ms: start, offset } = this.clock.local(local)
    addSeries(this.run, rules, row, { start, offset, sourceType })
    // the fat of a weight is a mass in the same unit
    const [weight, fat] = [row.positive(/^weight \(/), row.positive(/^fat mass \(/)]
    if (weight === undefined || fat === undefined || fat > weight) return
    this.run.sample('body_fat', { start, offset, value: Math.round((fat / weight) * 1e4) / 100 }, sourceType)
  }

  total(field: string, row: TableRow): void {
    const date: IsoDate | undefined = row.text('date')?.slice(0, 10)
    this.days.put(date, { [field]: row.number('value') })
  }

  night(row: TableRow): void {
    const { cells } = row
    const [start, end] = [this.clock.read(cells[FROM]?.trim()), this.clock.read(cells[TO]?.trim())]
    if (end !== undefined) this.clock.learn(localDate(end.ms, end.offset), end.offset)
    const durations = DURATIONS.map(([field, position]) => [field, asNumber(cells[position]?.trim()) ?? 0] as const)
    const total = durations.reduce((sum, [field, seconds]) => (field === 'awake' ? sum : sum + seconds), 0)
    addNight(this.run, { start, end, fields: { ...Object.fromEntries(durations), total, ...row.positives(NAMED) } })
  }

  /** Reads a row of lists: each value begins where the ones before it end. */
  raw(each: SeriesRule, row: TableRow) {
    const { run } = this
    const start = this.clock.read(row.text('start'))
    const [seconds, values] = [asList(row.json('duration')), asList(row.json('value'))]
    if (start === undefined) return
    if (seconds.length !== values.length) return run.skip(`${run.family} records with lists of different lengths`)
    let at = start.ms
    for (const [i, value] of values.entries()) {
      const end = at + (asNumber(seconds[i]) ?? 0) * SECOND_MS
      const number = asNumber(value)
      if (number === undefined) run.skip(`${run.family} values that are not numbers`)
      else addSeries(run, [each], new JsonElement({ value: number }), { start: at, end, offset: start.offset })
      at = end
    }
  }
}

/** The importer. Nights come first, because they have the offsets of local times. */
export const withings = archiveImporter<WithingsExport>({
  format: 'withings',
  title: 'Withings export (zip)',
  provider: PROVIDER,
  sourceType: 'watch',
  kinds: kindsOfSeries(PROVIDER, [...WEIGHT, ...PRESSURE, ...Object.values(RAW), rule('fat', 'body_fat')]),
  mark: /(?:^|\/)(?:raw_(?:tracker|hr|bed|spo2)_[^/]*|aggregates_[^/]*)\.csv$/,
  data: WithingsExport,
  families: [
    tables('sleep', part('sleep.csv'), (data, row) => data.night(row)),
    tables('weight', part('weight.csv'), (data, row) => data.measurement(WEIGHT, 'scale', row)),
    tables('blood pressure', part('bp.csv'), (data, row) => data.measurement(PRESSURE, 'cuff', row)),
    ...Object.entries(TOTALS).map(([file, field]) =>
      tables<WithingsExport>(`daily ${file}`, part(`aggregates_${file}.csv`), (data, row) => data.total(field, row)),
    ),
    ...Object.entries(RAW).map(([file, each]) =>
      tables<WithingsExport>(file, part(`raw_${file}.csv`), (data, row) => data.raw(each, row)),
    ),
    ...notRead({
      'electrocardiograms, whose columns are not known': ['signal.csv'],
      'activities, whose columns are not known': ['activities.csv'],
    }),
  ],
})
