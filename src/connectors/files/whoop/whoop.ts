/** Importer for WHOOP's export: tables of cycles, sleeps and workouts, whose local times have an offset beside them. */
import { HOUR_MS, localDate, MINUTE_MS } from '../../../core/time.ts'
import { readSport } from '../../live/whoop/sports.ts'
import { floatingIn, type RecordTime } from '../../shared/record-time.ts'
import { activitySummary } from '../../shared/summaries.ts'
import { localTime, readOffset } from '../archive/clock.ts'
import { ArchiveData } from '../archive/data.ts'
import { tables } from '../archive/format.ts'
import { addNight } from '../archive/nights.ts'
import { archiveImporter } from '../archive/reader.ts'
import type { FieldTable, TableRow } from '../archive/record.ts'
import { addSeries, kindsOfSeries, rule } from '../archive/series.ts'
import { addWorkout } from '../archive/workouts.ts'

/** The provider of live connections, so that exports and connections are one source. */
const PROVIDER = 'whoop_v2'
const NOT_ZERO = { none: [0] } as const
/** Values of a recovery, as samples at the end of the night. Resting heart rates are only in summaries. */
const RECOVERY = [
  rule('heart rate variability (ms)', 'hrv', NOT_ZERO),
  rule('blood oxygen %', 'blood_oxygen', NOT_ZERO),
  rule('skin temp (celsius)', 'body_temperature', { type: 'skin', ...NOT_ZERO }),
]
const BREATHS = rule('respiratory rate (rpm)', 'respiratory_rate', NOT_ZERO)
/** Fields of a recovery in the summary of its night. */
const RECOVERY_FIELDS: FieldTable = {
  recovery_readiness_score: 'recovery score %',
  hr_resting: 'resting heart rate (bpm)',
  average_hrv: 'heart rate variability (ms)',
  skin_temperature: 'skin temp (celsius)',
}
const SLEEP_FIELDS: FieldTable = {
  duration: ['in bed duration (min)', 60],
  total: ['asleep duration (min)', 60],
  light: ['light sleep duration (min)', 60],
  deep: ['deep (sws) duration (min)', 60],
  rem: ['rem duration (min)', 60],
  awake: ['awake duration (min)', 60],
  score: 'sleep performance %',
  efficiency: 'sleep efficiency %',
  respiratory_rate: 'respiratory rate (rpm)',
}
/** The energy of a whole cycle. The column says cal and means kilocalories, also in the table of workouts. */
const CYCLE_FIELDS: FieldTable = { calories_total: 'energy burned (cal)' }
const CYCLE_HEART: FieldTable = { avg_bpm: 'average hr (bpm)', max_bpm: 'max hr (bpm)' }
const WORKOUT_FIELDS: FieldTable = {
  calories: 'energy burned (cal)',
  average_hr: 'average hr (bpm)',
  max_hr: 'max hr (bpm)',
  distance: 'distance (meters)',
  total_elevation_gain: 'altitude gain (meters)',
}
/** Assumed time from the start of a cycle without a sleep to waking, as for live connections. */
const TO_WAKING_MS = 12 * HOUR_MS
const ZONES = [1, 2, 3, 4, 5] as const
/** Maximum number of nights that wait for their recovery, enough for more than a lifetime. */
const MOST_NIGHTS = 100_000

class WhoopExport extends ArchiveData {
  /** Recoveries by the start of their cycle. */
  private readonly recoveries = new Map<string, Readonly<Record<string, number | undefined>>>()
  private readonly nights: { readonly row: TableRow; readonly position: string }[] = []

  override finish(): void {
    this.run.family = 'sleep'
    for (const { row, position } of this.nights) {
      this.run.positionOf = () => position
      this.addNight(row)
    }
  }

  /** Reads a row of any table. The names of files depend on the language of the app, so the columns decide which table it is. */
  row(row: TableRow) {
    const has = (column: string): boolean => row.header.indexOf(column) !== -1
    if (has('workout start time')) return this.workout(row)
    if (has('sleep onset') && has('nap')) return this.sleep(row)
    if (has('cycle start time') && has('recovery score %')) return this.cycle(row)
    if (has('question text')) return this.run.skip('journal entries')
    return this.run.skip('rows of tables with unknown columns; WHOOP translates them if the app is not set to English')
  }

  private cycle(row: TableRow) {
    const { run } = this
    const [start, waking] = [this.time(row, 'cycle start time'), this.time(row, 'wake onset')]
    if (start === undefined) return run.skip('cycles without a start')
    const problem = run.timesProblem(start.ms, start.ms)
    if (problem !== undefined) return run.skip(`a cycle ${problem}`)
    if (this.recoveries.size < MOST_NIGHTS) this.recoveries.set(cycleOf(row), row.positives(RECOVERY_FIELDS))
    const date = localDate(waking?.ms ?? start.ms + TO_WAKING_MS, start.offset)
    const fields = { ...row.positives(CYCLE_FIELDS), heart_rate: row.positives(CYCLE_HEART) }
    run.summary(activitySummary(run.origin(['cycle', start.ms], date, start.offset), fields))
    if (waking !== undefined) addSeries(run, RECOVERY, row, { start: waking.ms, offset: waking.offset })
  }

  /** Keeps a sleep until all recoveries are known. */
  private sleep(row: TableRow) {
    const { run } = this
    if (this.nights.length >= MOST_NIGHTS) return run.skip(`sleeps after the first ${MOST_NIGHTS}`)
    this.nights.push({ row, position: run.positionOf() })
    run.hold()
  }

  private addNight(row: TableRow): void {
    const [start, end] = [this.time(row, 'sleep onset'), this.time(row, 'wake onset')]
    const isNap = row.text('nap')?.toLowerCase() === 'true'
    // a recovery belongs to the main sleep of its cycle
    const recovery = isNap ? {} : this.recoveries.get(cycleOf(row))
    addNight(this.run, { start, end, fields: { ...row.positives(SLEEP_FIELDS), ...recovery }, isNap })
    if (start && end) addSeries(this.run, [BREATHS], row, { start: end.ms, offset: end.offset })
  }

  private workout(row: TableRow): void {
    const [start, end] = [this.time(row, 'workout start time'), this.time(row, 'workout end time')]
    const minutes = row.number('duration (min)') ?? (start && end ? (end.ms - start.ms) / MINUTE_MS : 0)
    const shares = ZONES.map(zone => row.number(`hr zone ${zone} %`))
    const rest = 100 - shares.reduce<number>((sum, share) => sum + (share ?? 0), 0)
    const seconds = [Math.max(0, rest), ...shares].map(share => Math.round((share ?? 0) * 0.6 * minutes))
    const hr_zones = shares.some(share => share !== undefined) ? seconds : undefined
    addWorkout(this.run, {
      start,
      endMs: end?.ms,
      sport: readSport(row.text('activity name') ?? ''),
      title: row.text('activity name'),
      stated: { ...row.positives(WORKOUT_FIELDS), moving_time: minutes * 60, hr_zones },
    })
  }

  /** Returns a local time with the offset of its cycle. */
  private time(row: TableRow, column: string): RecordTime | undefined {
    const [local, offset] = [localTime(row.text(column)), readOffset(row.text('cycle timezone'))]
    if (local === undefined) return undefined
    return offset === null ? this.clock.local(local) : floatingIn(local, null, offset)
  }
}

function cycleOf(row: TableRow): string {
  return row.text('cycle start time') ?? ''
}

/** The importer. See docs/import.md for what is read. */
export const whoop = archiveImporter<WhoopExport>({
  format: 'whoop',
  title: 'WHOOP export (zip)',
  provider: PROVIDER,
  sourceType: 'watch',
  kinds: kindsOfSeries(PROVIDER, [...RECOVERY, BREATHS]),
  mark: /(?:^|\/)(?:physiological_cycles|physiologische_zyklen|ciclos_fisiol[^/]*|journal_entries|logbuch_eintraege|entradas_di[^/]*)\.csv$/,
  data: WhoopExport,
  families: [tables('table', /\.csv$/, (data, row) => data.row(row))],
})
