/** Importer for the export of Samsung Health: tables by type of data, and JSON files with detailed values that they refer to. */
import { OTHER_SPORT, sportNamed } from '../../../catalogue/sports.ts'
import { getOrInsert } from '../../../core/maps.ts'
import { DAY_MS, type EpochMs, formatDate, type IsoDate } from '../../../core/time.ts'
import type { RecordTime } from '../../shared/record-time.ts'
import { STAGES, type StageSpan } from '../../shared/summaries.ts'
import { readOffset, utcTime } from '../archive/clock.ts'
import { DayBook, type DayFields } from '../archive/days.ts'
import type { ArchiveState, Family } from '../archive/format.ts'
import { addNight, ordered } from '../archive/nights.ts'
import { archiveImporter } from '../archive/reader.ts'
import { JsonElement, type PartRecord, type TableRow } from '../archive/record.ts'
import type { ArchiveRun } from '../archive/run.ts'
import { addSeries, kindsOfSeries, type SampleContext } from '../archive/series.ts'
import { addWorkout, PointsByTime } from '../archive/workouts.ts'
import { FITNESS, NOT_READ, type SamsungTable, SERIES_TABLES, SPORTS } from './tables.ts'

const PROVIDER = 'samsung_health'
const OWN_APP = 'com.sec.android.app.shealth'
/** The row of a day in which Samsung Health has merged all devices. */
const MERGED = -2
const STAGE_OF: Readonly<Record<string, number>> = {
  '40001': STAGES.awake,
  '40002': STAGES.light,
  '40003': STAGES.deep,
  '40004': STAGES.rem,
}
/** Maximum number of stages, enough for more than 50 years of nights. */
const MOST_STAGES = 2_000_000
const WITHOUT_TIME = 'records without a time'

class SamsungExport implements ArchiveState {
  readonly run: ArchiveRun
  private readonly days: DayBook
  /** Stages by the ID of their night. */
  private readonly stages = new Map<string, StageSpan[]>()
  private stageCount = 0

  constructor(run: ArchiveRun) {
    this.run = run
    this.days = new DayBook(run, 'multiple_sources')
  }

  finish(): void {
    for (const spans of this.stages.values())
      this.run.skip('stages of nights that are not in the archive', spans.length)
    this.days.finish()
  }

  /** Adds a row's samples, or those of the bins that it refers to. */
  async row({ rules, hasBins }: SamsungTable, row: TableRow): Promise<void> {
    const { run } = this
    const [start, end] = [this.time(row, 'start_time'), this.time(row, 'end_time')]
    if (start === undefined) return run.skip(`${run.family} ${WITHOUT_TIME}`)
    const context = {
      start: start.ms,
      end: Math.max(start.ms, end?.ms ?? start.ms),
      offset: start.offset,
      ...this.source(row),
    }
    const bins = hasBins ? ((await this.attached(row, 'binning_data')) ?? []) : []
    if (bins.length === 0) return addSeries(run, rules, row, context)
    run.skip('rows whose detailed values are stored instead')
    for (const bin of bins) this.bin(rules, bin, context)
  }

  /** Reads a day's steps. Samsung Health has a row for each device and one for all of them. */
  trend(row: TableRow) {
    if (row.number('source_type') !== MERGED)
      return this.run.skip('steps of a day of one device, which the row for all devices contains')
    this.day(row, { steps: row.number('count'), distance: row.number('distance') })
  }

  day(row: TableRow, fields: DayFields): void {
    this.days.put(dateOf(row.text('day_time')), fields)
  }

  stage(row: TableRow) {
    const { run } = this
    const [start, end] = [this.time(row, 'start_time')?.ms, this.time(row, 'end_time')?.ms]
    const [stage, id] = [STAGE_OF[row.text('stage') ?? ''], row.text('sleep_id')]
    if (start === undefined || end === undefined || stage === undefined || id === undefined) {
      return run.skip('stages without a known type, times and a night')
    }
    if (++this.stageCount > MOST_STAGES) return run.skip(`stages after the first ${MOST_STAGES}`)
    getOrInsert(this.stages, id, () => []).push({ stage, start, end })
    run.hold()
  }

  /** Reads a night, after all stages. */
  night(row: TableRow) {
    const { run } = this
    const [start, end, id] = [this.time(row, 'start_time'), this.time(row, 'end_time'), row.text('datauuid')]
    if (start === undefined || end === undefined || id === undefined) return run.skip('nights without an ID and times')
    const spans = this.stages.get(id) ?? []
    this.stages.delete(id)
    const minutes = (column: string): number | null => {
      const value = row.positive(column)
      return value === undefined ? null : value * 60
    }
    addNight(run, {
      recordId: id,
      start,
      end,
      spans: ordered(spans),
      fields: {
        total: minutes('sleep_duration'),
        rem: minutes('total_rem_duration'),
        light: minutes('total_light_duration'),
        // 0 means that it was not computed
        efficiency: row.positive('efficiency') ?? null,
        score: row.positive('sleep_score') ?? null,
      },
    })
    run.skip('stages that are stored with their night', spans.length, '')
  }

  async exercise(row: TableRow): Promise<void> {
    const { run } = this
    const [start, id, duration] = [this.time(row, 'start_time'), row.text('datauuid'), row.number('duration')]
    if (start === undefined || id === undefined || duration === undefined)
      return run.skip('exercises without an ID, a time and a duration')
    const points = new PointsByTime()
    for (const each of (await this.attached(row, 'location_data')) ?? []) addPosition(points, each)
    for (const each of (await this.attached(row, 'live_data')) ?? []) addHeartRate(points, each)
    addWorkout(run, {
      recordId: id,
      start,
      endMs: this.time(row, 'end_time')?.ms ?? start.ms + duration,
      sport: sportNamed(SPORTS[row.text('exercise_type') ?? ''] ?? '') ?? OTHER_SPORT,
      title: row.text('title'),
      stated: {
        moving_time: duration / 1000,
        distance: row.positive('distance'),
        calories: row.positive('calorie'),
        average_hr: row.positive('mean_heart_rate'),
        max_hr: row.positive('max_heart_rate'),
        average_speed: row.positive('mean_speed'),
        max_speed: row.positive('max_speed'),
      },
      points: points.points(),
    })
    addSeries(run, [FITNESS], row, { start: start.ms, offset: start.offset, ...this.source(row) })
  }

  private bin(rules: SamsungTable['rules'], bin: unknown, { text, offset }: SampleContext) {
    const { run } = this
    const record = new JsonElement(bin)
    const start = record.number('start_time')
    if (start === undefined) return run.skip(`${run.family} ${WITHOUT_TIME}`)
    const before = run.importing.records
    addSeries(run, rules, record, { start, offset, ...(text && { text }) })
    if (run.importing.records === before) run.skip(`${run.family} records without a value`)
  }

  /** Returns a time in UTC with the offset of its row. A date of 1970 stands for none. */
  private time(row: PartRecord, column: string): RecordTime | undefined {
    const time = utcTime(row.text(column), readOffset(row.text('time_offset')))
    return time === undefined || time.ms < 365 * DAY_MS ? undefined : time
  }

  /** Returns the elements of the file that a column names. */
  private attached(row: TableRow, column: string): Promise<readonly unknown[] | undefined> {
    const name = row.text(column)
    return name === undefined ? Promise.resolve(undefined) : this.run.attached(name)
  }

  /** Returns the device and the app of a row. Every one is a source of its own. */
  private source(row: TableRow): Pick<SampleContext, 'text'> {
    const [device, app] = [row.text('deviceuuid'), row.text('pkg_name')]
    const isOther = app !== undefined && app !== OWN_APP && /^[a-z][\w.]{1,99}$/i.test(app)
    if (device === undefined && !isOther) return {}
    return {
      text: { ...(device !== undefined && { device_id: this.run.deviceId(device) }), ...(isOther && { app_id: app }) },
    }
  }
}

function addPosition(points: PointsByTime, element: unknown): void {
  const record = new JsonElement(element)
  const [time, lat, lng] = [record.number('start_time'), record.number('latitude'), record.number('longitude')]
  if (time !== undefined && lat !== undefined && lng !== undefined)
    points.set(time, { lat, lng, altitude: record.number('altitude') })
}

function addHeartRate(points: PointsByTime, element: unknown): void {
  const record = new JsonElement(element)
  const [time, heartrate] = [record.number('start_time'), record.positive('heart_rate')]
  if (time !== undefined && heartrate !== undefined) points.set(time, { heartrate })
}

/** Returns a local date, which is stored as the milliseconds of its midnight in UTC or as text. */
function dateOf(text: string | undefined): IsoDate | undefined {
  const ms: EpochMs | undefined = text !== undefined && /^\d{9,14}$/.test(text) ? Number(text) : undefined
  return ms === undefined ? text?.slice(0, 10) : formatDate(ms)
}

/** Returns the names of the columns, which may begin with a type. Null for the line above the header, which describes the table. */
function columns(cells: readonly string[]): readonly string[] | null {
  if (cells.length <= 4 && /^com\.samsung\./.test(cells[0] ?? '') && /^\d*$/.test(cells[1] ?? '')) return null
  return cells.map(cell => cell.trim().toLowerCase().split('.').at(-1) ?? '')
}

function typed(type: string): RegExp {
  return new RegExp(`(?:^|/)com\\.samsung\\.${type.replaceAll('.', '\\.').replace('*', '[^/]*')}\\.\\d{8,17}\\.csv$`)
}

const table = (
  name: string,
  type: string,
  take: (samsung: SamsungExport, row: TableRow) => void | Promise<void>,
): Family<SamsungExport> => ({
  name,
  path: typed(type),
  read: 'csv',
  columns,
  take,
})

/** Stages come before the nights that they belong to. */
const FAMILIES: readonly Family<SamsungExport>[] = [
  ...Object.entries(NOT_READ).flatMap(([skip, types]) =>
    types.map((type): Family<SamsungExport> => ({ name: 'file', path: typed(type), skip })),
  ),
  table('sleep stages', 'health.sleep_stage', (samsung, row) => samsung.stage(row)),
  table('nights', 'shealth.sleep', (samsung, row) => samsung.night(row)),
  table('step trend', 'shealth.step_daily_trend', (samsung, row) => samsung.trend(row)),
  table('energy', 'shealth.calories_burned.details', (samsung, row) =>
    samsung.day(row, { calories_active: row.number('active_calorie') }),
  ),
  table('floors of a day', 'shealth.tracker.floors_day_summary', (samsung, row) =>
    samsung.day(row, { floors_climbed: row.number('floor') }),
  ),
  table('exercises', 'shealth.exercise', (samsung, row) => samsung.exercise(row)),
  ...SERIES_TABLES.map(each => table(each.name, each.type, (samsung, row) => samsung.row(each, row))),
  { name: 'details', path: /(?:^|\/)jsons\/.*\.json$/, read: 'attached' },
]

/** The importer. See docs/import.md for what is read. */
export const samsungHealth = archiveImporter<SamsungExport>({
  format: 'samsung_health',
  title: 'Samsung Health export (zip)',
  provider: PROVIDER,
  sourceType: 'unknown',
  kinds: kindsOfSeries(PROVIDER, [...SERIES_TABLES.flatMap(({ rules }) => rules), FITNESS]),
  mark: /(?:^|\/)com\.samsung\.(?:s?health)\.[\w.]+\.\d{8,17}\.csv$/,
  families: FAMILIES,
  begin: run => new SamsungExport(run),
})
