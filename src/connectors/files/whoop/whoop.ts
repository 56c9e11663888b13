/** Importer for WHOOP's export: tables of cycles, sleeps and workouts, whose local times have an offset beside them. */
import { OTHER_SPORT } from '../../../catalogue/sports.ts'
import { type EpochMs, HOUR_MS, type IsoDate, localDate, MINUTE_MS } from '../../../core/time.ts'
import { readSport } from '../../live/whoop/sports.ts'
import { floatingIn, type RecordTime } from '../../shared/record-time.ts'
import { activitySummary } from '../../shared/summaries.ts'
import { ArchiveClock, localTime, readOffset } from '../archive/clock.ts'
import type { ArchiveState } from '../archive/format.ts'
import { addNight } from '../archive/nights.ts'
import { archiveImporter } from '../archive/reader.ts'
import type { Column, TableRow } from '../archive/record.ts'
import type { ArchiveRun } from '../archive/run.ts'
import { addSeries, kindsOfSeries, type SeriesRule } from '../archive/series.ts'
import { addWorkout } from '../archive/workouts.ts'

/** The provider of live connections, so that exports and connections are one source. */
const PROVIDER = 'whoop_v2'
const SOURCE_TYPE = 'watch'
/** Values of a recovery, as samples at the end of the night. Resting heart rates are in its summary only. */
const RECOVERY: readonly SeriesRule[] = [
  { column: 'heart rate variability (ms)', resource: 'hrv', none: [0] },
  { column: 'blood oxygen %', resource: 'blood_oxygen', none: [0] },
  { column: 'skin temp (celsius)', resource: 'body_temperature', type: 'skin', none: [0] },
]
const BREATHS: SeriesRule = { column: 'respiratory rate (rpm)', resource: 'respiratory_rate', none: [0] }
/** Fields of a recovery in the summary of its night. */
const RECOVERY_FIELDS: readonly (readonly [column: string, field: string])[] = [
  ['recovery score %', 'recovery_readiness_score'],
  ['resting heart rate (bpm)', 'hr_resting'],
  ['heart rate variability (ms)', 'average_hrv'],
  ['skin temp (celsius)', 'skin_temperature'],
]
const SLEEP_FIELDS: readonly (readonly [column: string, field: string, factor: number])[] = [
  ['in bed duration (min)', 'duration', 60],
  ['asleep duration (min)', 'total', 60],
  ['light sleep duration (min)', 'light', 60],
  ['deep (sws) duration (min)', 'deep', 60],
  ['rem duration (min)', 'rem', 60],
  ['awake duration (min)', 'awake', 60],
  ['sleep performance %', 'score', 1],
  ['sleep efficiency %', 'efficiency', 1],
  ['respiratory rate (rpm)', 'respiratory_rate', 1],
]
/** Assumed time from the start of a cycle without a sleep to waking, as for live connections. */
const TO_WAKING_MS = 12 * HOUR_MS
const ZONES = [1, 2, 3, 4, 5] as const
/** Maximum number of nights that wait for their recovery, enough for more than a lifetime. */
const MOST_NIGHTS = 100_000

interface Night {
  readonly cycle: string
  readonly row: TableRow
  readonly start: RecordTime
  readonly end: RecordTime
  readonly position: string
}

class WhoopExport implements ArchiveState {
  private readonly run: ArchiveRun
  private readonly clock: ArchiveClock
  /** Recoveries by the start of their cycle. */
  private readonly recoveries = new Map<string, Readonly<Record<string, number>>>()
  private readonly nights: Night[] = []

  constructor(run: ArchiveRun) {
    this.run = run
    this.clock = new ArchiveClock(run)
  }

  finish(): void {
    this.run.family = 'sleeps'
    for (const { cycle, row, start, end, position } of this.nights) {
      this.run.positionOf = () => position
      const isNap = row.text('nap')?.toLowerCase() === 'true'
      const fields = Object.fromEntries(
        SLEEP_FIELDS.map(([column, field, factor]) => [field, times(row.number(column), factor)]),
      )
      addNight(this.run, {
        recordId: [this.run.importing.chooseSourceType(SOURCE_TYPE), start.ms],
        start,
        end,
        spans: [],
        // a recovery belongs to the main sleep of its cycle
        fields: { ...fields, ...(isNap ? {} : this.recoveries.get(cycle)) },
        ...(isNap && { isNap }),
        sourceType: SOURCE_TYPE,
      })
      addSeries(this.run, [BREATHS], row, { start: end.ms, offset: end.offset, sourceType: SOURCE_TYPE })
    }
  }

  /** Reads a row of any table. The names of files depend on the language of the app, so the columns decide which table it is. */
  row(row: TableRow) {
    const has = (column: Column): boolean => row.header.indexOf(column) !== -1
    if (has('workout start time')) return this.workout(row)
    if (has('sleep onset') && has('nap')) return this.sleep(row)
    if (has('cycle start time') && has('recovery score %')) return this.cycle(row)
    if (has('question text')) return this.run.skip('journal entries')
    return this.run.skip('rows of tables with unknown columns; WHOOP translates them if the app is not set to English')
  }

  private cycle(row: TableRow) {
    const { run } = this
    const start = this.time(row, 'cycle start time')
    if (start === undefined) return run.skip('cycles without a start')
    const waking = this.time(row, 'wake onset')
    const fields = RECOVERY_FIELDS.flatMap(([column, field]) => {
      const value = row.positive(column)
      return value === undefined ? [] : [[field, value] as const]
    })
    if (this.recoveries.size < MOST_NIGHTS)
      this.recoveries.set(row.text('cycle start time') ?? '', Object.fromEntries(fields))
    const date: IsoDate =
      waking === undefined ? localDate(start.ms + TO_WAKING_MS, start.offset) : localDate(waking.ms, waking.offset)
    const [average, highest] = [row.positive('average hr (bpm)') ?? null, row.positive('max hr (bpm)') ?? null]
    const energy = row.positive('energy burned (cal)')
    const problem = run.timesProblem(start.ms, start.ms)
    if (problem !== undefined) return run.skip(`a cycle ${problem}`)
    run.summary(
      activitySummary(run.origin(['cycle', start.ms], date, start.offset, SOURCE_TYPE), {
        // the column says cal and means kilocalories, of the whole cycle
        calories_total: energy ?? null,
        heart_rate: average === null && highest === null ? null : { avg_bpm: average, max_bpm: highest },
      }),
    )
    if (waking === undefined) return
    addSeries(run, RECOVERY, row, { start: waking.ms, offset: waking.offset, sourceType: SOURCE_TYPE })
  }

  private sleep(row: TableRow) {
    const { run } = this
    const [start, end] = [this.time(row, 'sleep onset'), this.time(row, 'wake onset')]
    if (start === undefined || end === undefined) return run.skip('sleeps without times')
    if (this.nights.length >= MOST_NIGHTS) return run.skip(`sleeps after the first ${MOST_NIGHTS}`)
    this.nights.push({ cycle: row.text('cycle start time') ?? '', row, start, end, position: run.positionOf() })
    run.hold()
  }

  private workout(row: TableRow) {
    const { run } = this
    const [start, end] = [this.time(row, 'workout start time'), this.time(row, 'workout end time')]
    if (start === undefined || end === undefined) return run.skip('workouts without times')
    const minutes = row.number('duration (min)') ?? (end.ms - start.ms) / MINUTE_MS
    const shares = ZONES.map(zone => row.number(`hr zone ${zone} %`))
    const inZones = shares.reduce<number>((sum, share) => sum + (share ?? 0), 0)
    const hasZones = shares.some(share => share !== undefined)
    addWorkout(run, {
      recordId: [run.importing.chooseSourceType(SOURCE_TYPE), start.ms],
      start,
      endMs: end.ms,
      sport: readSport(row.text('activity name') ?? '') ?? OTHER_SPORT,
      title: row.text('activity name'),
      stated: {
        moving_time: minutes * 60,
        calories: row.positive('energy burned (cal)'),
        average_hr: row.positive('average hr (bpm)'),
        max_hr: row.positive('max hr (bpm)'),
        distance: row.positive('distance (meters)'),
        total_elevation_gain: row.number('altitude gain (meters)'),
        hr_zones: hasZones
          ? [Math.max(0, 100 - inZones), ...shares].map(share => Math.round(((share ?? 0) / 100) * minutes * 60))
          : undefined,
      },
      sourceType: SOURCE_TYPE,
    })
  }

  /** Returns a local time with the offset of its cycle. */
  private time(row: TableRow, column: string): RecordTime | undefined {
    const local: EpochMs | undefined = localTime(row.text(column))
    const offset = readOffset(row.text('cycle timezone'))
    if (local === undefined) return undefined
    return offset === null ? this.clock.local(local) : floatingIn(local, null, offset)
  }
}

function times(value: number | undefined, factor: number): number | null {
  return value === undefined ? null : value * factor
}

/** The importer. See docs/import.md for what is read. */
export const whoop = archiveImporter<WhoopExport>({
  format: 'whoop',
  title: 'WHOOP export (zip)',
  provider: PROVIDER,
  sourceType: SOURCE_TYPE,
  kinds: kindsOfSeries(PROVIDER, [...RECOVERY, BREATHS]),
  mark: /(?:^|\/)(?:physiological_cycles|physiologische_zyklen|ciclos_fisiol[^/]*|journal_entries|logbuch_eintraege|entradas_di[^/]*)\.csv$/,
  families: [{ name: 'row', path: /\.csv$/, read: 'csv', take: (state, row) => state.row(row) }],
  begin: run => new WhoopExport(run),
})
