/** Importer for the export of Samsung Health: tables by type of data, and JSON files with detailed values that they refer to. */
import { sportNamed } from '../../../catalogue/sports.ts'
import { getOrInsert } from '../../../core/maps.ts'
import { DAY_MS, type EpochMs, formatDate, type IsoDate } from '../../../core/time.ts'
import type { RecordTime } from '../../shared/record-time.ts'
import { STAGES, type StageSpan } from '../../shared/summaries.ts'
import { readOffset, utcTime } from '../archive/clock.ts'
import { ArchiveData } from '../archive/data.ts'
import type { DayFields } from '../archive/days.ts'
import { type Family, notRead, type TableFamily, tables } from '../archive/format.ts'
import { addNight, ordered } from '../archive/nights.ts'
import { archiveImporter } from '../archive/reader.ts'
import type { PartRecord, TableRow } from '../archive/record.ts'
import type { ArchiveRun } from '../archive/run.ts'
import { addSeries, kindsOfSeries, type SampleContext } from '../archive/series.ts'
import { addWorkout, PointsByTime } from '../archive/workouts.ts'
import { EXERCISE, FITNESS, NOT_READ, type SamsungTable, SERIES_TABLES, SLEEP, SPORTS } from './tables.ts'

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

class SamsungExport extends ArchiveData {
  /** Stages by the ID of their night. */
  private readonly stages = new Map<string, StageSpan[]>()
  private stageCount = 0

  constructor(run: ArchiveRun) {
    super(run, 'multiple_sources')
  }

  override finish(): void {
    for (const spans of this.stages.values()) {
      this.run.skip('stages of nights that are not in the archive', spans.length)
    }
    super.finish()
  }

  /** Adds a row's samples, or those of the bins that it refers to. */
  async row({ rules, hasBins }: SamsungTable, row: TableRow): Promise<void> {
    const { run } = this
    const [start, end] = [this.time(row, 'start_time'), this.time(row, 'end_time')]
    if (start === undefined) return
    const context = {
      start: start.ms,
      end: Math.max(start.ms, end?.ms ?? start.ms),
      offset: start.offset,
      ...this.source(row),
    }
    const bins = hasBins ? await this.attached(row, 'binning_data') : []
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
  night(row: TableRow): void {
    const id = row.text('datauuid')
    const spans = this.stages.get(id ?? '') ?? []
    this.stages.delete(id ?? '')
    const [start, end] = [this.time(row, 'start_time'), this.time(row, 'end_time')]
    addNight(this.run, { id, start, end, spans: ordered(spans), fields: row.positives(SLEEP) })
    this.run.skip('stages that are stored with their night', spans.length, '')
  }

  async exercise(row: TableRow): Promise<void> {
    const { run } = this
    const [start, end, duration] = [this.time(row, 'start_time'), this.time(row, 'end_time'), row.number('duration')]
    const points = new PointsByTime()
    for (const each of await this.attached(row, 'location_data')) {
      const [at, lat, lng] = [each.number('start_time'), each.number('latitude'), each.number('longitude')]
      if (at !== undefined && lat !== undefined && lng !== undefined) {
        points.set(at, { lat, lng, altitude: each.number('altitude') })
      }
    }
    for (const each of await this.attached(row, 'live_data')) {
      const [at, heartrate] = [each.number('start_time'), each.positive('heart_rate')]
      if (at !== undefined && heartrate !== undefined) points.set(at, { heartrate })
    }
    addWorkout(run, {
      id: row.text('datauuid'),
      start,
      endMs: end?.ms ?? (start && duration !== undefined ? start.ms + duration : undefined),
      sport: sportNamed(SPORTS[row.text('exercise_type') ?? ''] ?? ''),
      title: row.text('title'),
      stated: row.positives(EXERCISE),
      points: points.points(),
    })
    if (start !== undefined)
      addSeries(run, [FITNESS], row, { start: start.ms, offset: start.offset, ...this.source(row) })
  }

  private bin(rules: SamsungTable['rules'], bin: PartRecord, { text, offset }: SampleContext) {
    const { run } = this
    const start = bin.number('start_time')
    if (start === undefined) return run.skipUnreadable()
    const before = run.importing.records
    addSeries(run, rules, bin, { start, offset, ...(text && { text }) })
    if (run.importing.records === before) run.skipUnreadable()
  }

  /** Returns a time in UTC with the offset of its row. A date in 1970 means that there is none. */
  private time(row: PartRecord, column: string): RecordTime | undefined {
    const time = utcTime(row.text(column), readOffset(row.text('time_offset')))
    return time === undefined || time.ms < 365 * DAY_MS ? undefined : time
  }

  /** Returns the elements of the file that a column names. */
  private async attached(row: TableRow, column: string): Promise<readonly PartRecord[]> {
    const name = row.text(column)
    return name === undefined ? [] : this.run.attached(name)
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

const table = (name: string, type: string, take: TableFamily<SamsungExport>['take']): Family<SamsungExport> =>
  tables(name, typed(type), take, columns)

/** The importer. Stages come before the nights that they belong to. */
export const samsungHealth = archiveImporter<SamsungExport>({
  format: 'samsung_health',
  title: 'Samsung Health export (zip)',
  provider: PROVIDER,
  sourceType: 'unknown',
  kinds: kindsOfSeries(PROVIDER, [...SERIES_TABLES.flatMap(({ rules }) => rules), FITNESS]),
  mark: /(?:^|\/)com\.samsung\.(?:s?health)\.[\w.]+\.\d{8,17}\.csv$/,
  data: SamsungExport,
  families: [
    ...notRead(NOT_READ, typed),
    table('sleep stages', 'health.sleep_stage', (data, row) => data.stage(row)),
    table('nights', 'shealth.sleep', (data, row) => data.night(row)),
    table('step trend', 'shealth.step_daily_trend', (data, row) => data.trend(row)),
    table('energy', 'shealth.calories_burned.details', (data, row) =>
      data.day(row, { calories_active: row.number('active_calorie') }),
    ),
    table('floors of a day', 'shealth.tracker.floors_day_summary', (data, row) =>
      data.day(row, { floors_climbed: row.number('floor') }),
    ),
    table('exercises', 'shealth.exercise', (data, row) => data.exercise(row)),
    ...SERIES_TABLES.map(each => table(each.name, each.type, (data, row) => data.row(each, row))),
    { name: 'details', path: /(?:^|\/)jsons\/.*\.json$/, read: 'attached' },
  ],
})
