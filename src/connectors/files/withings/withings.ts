/** Importer for Withings' export: tables of weights, pressures, nights and days, and lists of what trackers measured. */
import { type IsoDate, localDate, SECOND_MS } from '../../../core/time.ts'
import { asList, asNumber } from '../../shared/json-fields.ts'
import { ArchiveClock, localTime } from '../archive/clock.ts'
import { DayBook } from '../archive/days.ts'
import { type ArchiveState, type Family, part } from '../archive/format.ts'
import { addNight } from '../archive/nights.ts'
import { archiveImporter } from '../archive/reader.ts'
import type { TableRow } from '../archive/record.ts'
import type { ArchiveRun } from '../archive/run.ts'
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
const NAMED: readonly (readonly [column: string, field: string])[] = [
  ['average heart rate', 'hr_average'],
  ['heart rate (min)', 'hr_lowest'],
  ['duration to sleep (s)', 'latency'],
]

class WithingsExport implements ArchiveState {
  private readonly run: ArchiveRun
  private readonly clock: ArchiveClock
  private readonly days: DayBook

  constructor(run: ArchiveRun) {
    this.run = run
    this.clock = new ArchiveClock(run)
    this.days = new DayBook(run, 'watch', date => this.clock.offsetOn(date))
  }

  finish(): void {
    this.days.finish()
  }

  /** Adds the values of a measurement, whose time is local. */
  measurement(rules: readonly SeriesRule[], sourceType: string, row: TableRow) {
    const local = localTime(row.text('date'))
    if (local === undefined) return this.run.skip(`${this.run.family} records without a time`)
    const { ms: start, offset } = this.clock.local(local)
    addSeries(this.run, rules, row, { start, offset, sourceType })
    // the fat of a weight is a mass in the same unit
    const [weight, fat] = [row.positive(/^weight \(/), row.positive(/^fat mass \(/)]
    if (weight === undefined || fat === undefined || fat > weight) return
    this.run.sample({ resource: 'body_fat', start, offset, value: Math.round((fat / weight) * 1e4) / 100, sourceType })
  }

  total(field: string, row: TableRow): void {
    const date: IsoDate | undefined = row.text('date')?.slice(0, 10)
    this.days.put(date, { [field]: row.number('value') })
  }

  night(row: TableRow) {
    const { run, clock } = this
    const { cells } = row
    const [start, end] = [clock.read(cells[FROM]?.trim()), clock.read(cells[TO]?.trim())]
    if (start === undefined || end === undefined) return run.skip('nights without times')
    clock.learn(localDate(end.ms, end.offset), end.offset)
    const durations = Object.fromEntries(
      DURATIONS.map(([field, position]) => [field, asNumber(cells[position]?.trim()) ?? null]),
    )
    const { light, deep, rem } = durations
    addNight(run, {
      recordId: [run.importing.chooseSourceType('watch'), start.ms],
      start,
      end,
      spans: [],
      fields: {
        ...durations,
        total: (light ?? 0) + (deep ?? 0) + (rem ?? 0),
        ...Object.fromEntries(NAMED.map(([column, field]) => [field, row.positive(column) ?? null])),
      },
      sourceType: 'watch',
    })
  }

  /** Reads a row of lists: each value begins where the ones before it end. */
  raw(each: SeriesRule, row: TableRow) {
    const { run } = this
    const start = this.clock.read(row.text('start'))
    const [seconds, values] = [asList(row.json('duration')), asList(row.json('value'))]
    if (start === undefined) return run.skip(`${run.family} records without a time`)
    if (seconds.length !== values.length) return run.skip(`${run.family} records with lists of different lengths`)
    let at = start.ms
    for (const [i, value] of values.entries()) {
      const end = at + (asNumber(seconds[i]) ?? 0) * SECOND_MS
      const number = asNumber(value)
      if (number === undefined) run.skip(`${run.family} values that are not numbers`)
      else if (each.none?.includes(number)) run.skip(`${run.family} values that stand for no measurement`)
      else
        run.sample({
          resource: each.resource,
          start: at,
          end,
          value: number,
          offset: start.offset,
          sourceType: 'watch',
        })
      at = end
    }
  }
}

const table = (
  name: string,
  file: string,
  take: (withings: WithingsExport, row: TableRow) => void,
): Family<WithingsExport> => ({
  name,
  path: part(`${file}.csv`),
  read: 'csv',
  take,
})

/** The importer. See docs/import.md for what is read. Nights come first, because they have the offsets of local times. */
export const withings = archiveImporter<WithingsExport>({
  format: 'withings',
  title: 'Withings export (zip)',
  provider: PROVIDER,
  sourceType: 'watch',
  kinds: kindsOfSeries(PROVIDER, [...WEIGHT, ...PRESSURE, ...Object.values(RAW), rule('fat', 'body_fat')]),
  mark: /(?:^|\/)(?:raw_(?:tracker|hr|bed|spo2)_[^/]*|aggregates_[^/]*)\.csv$/,
  families: [
    table('sleep', 'sleep', (state, row) => state.night(row)),
    table('weight', 'weight', (state, row) => state.measurement(WEIGHT, 'scale', row)),
    table('blood pressure', 'bp', (state, row) => state.measurement(PRESSURE, 'cuff', row)),
    ...Object.entries(TOTALS).map(([file, field]) =>
      table(`daily ${file}`, `aggregates_${file}`, (state, row) => state.total(field, row)),
    ),
    ...Object.entries(RAW).map(([file, each]) => table(file, `raw_${file}`, (state, row) => state.raw(each, row))),
    { name: 'file', path: part('signal.csv'), skip: 'electrocardiograms, whose columns are not known' },
    { name: 'file', path: part('activities.csv'), skip: 'activities, whose columns are not known' },
  ],
  begin: run => new WithingsExport(run),
})
