/** Importer for the takeout of Google Health and Fitbit: JSON lists, and tables with mostly the same data. */
import { type EpochMs, formatDate, type IsoDate, MINUTE_MS, parseDate } from '../../../core/time.ts'
import { dateIn as localDateIn, type RecordTime } from '../../shared/record-time.ts'
import { ArchiveClock, utcTime } from '../archive/clock.ts'
import { Copies } from '../archive/copies.ts'
import { DayBook, type DayFields } from '../archive/days.ts'
import { type ArchiveState, type Family, part } from '../archive/format.ts'
import { archiveImporter } from '../archive/reader.ts'
import type { PartRecord, TableRow } from '../archive/record.ts'
import type { ArchiveRun } from '../archive/run.ts'
import { addSeries, kindsOfSeries, type SampleContext } from '../archive/series.ts'
import { TakeoutExercises } from './exercises.ts'
import { TakeoutSleeps } from './sleeps.ts'
import {
  FITNESS_LISTS,
  HEART_RATE,
  INSTANT_TABLES,
  INTENSITIES,
  type InstantTable,
  MINUTE_LISTS,
  NOT_READ,
  WEIGHT_LOG,
} from './tables.ts'
import { takeoutDate, takeoutTime } from './times.ts'

const PROVIDER = 'google_health'
const PLACEHOLDER = 'placeholders for days without data'
/** A day whose minutes are all at rest was not measured. */
const ALL_DAY_MINUTES = 1440
const CALORIES = 'energy'
const MINUTES = 'active minutes'
class Takeout implements ArchiveState {
  readonly run: ArchiveRun
  readonly clock: ArchiveClock
  readonly sleeps: TakeoutSleeps
  readonly exercises: TakeoutExercises
  private readonly days: DayBook
  private readonly copies: Copies
  /** Days on which no device was worn. */
  private readonly idle = new Set<IsoDate>()

  constructor(run: ArchiveRun) {
    this.run = run
    this.clock = new ArchiveClock(run)
    this.days = new DayBook(run, 'watch', date => this.clock.offsetOn(date))
    this.copies = new Copies(run)
    this.sleeps = new TakeoutSleeps(run, this.clock)
    this.exercises = new TakeoutExercises(run, this.clock)
  }

  finish(): void {
    this.sleeps.finish()
    this.exercises.finish()
    this.days.finish()
  }

  /** Adds a value of a minute. The time is in UTC. */
  minute(rules: InstantTable['rules'], record: PartRecord) {
    const start = takeoutTime(record.text('dateTime'))
    if (start === undefined) return this.withoutTime()
    if (!this.counts(this.run.family, start)) return
    addSeries(this.run, rules, record, { start, end: start + MINUTE_MS, offset: null, sourceType: 'watch' })
  }

  heartRate(record: PartRecord) {
    const start = takeoutTime(record.text('dateTime'))
    if (start === undefined) return this.withoutTime()
    if (!this.counts('heart rate', start)) return
    if (record.number('value.confidence') === 0) return this.run.skip('heart rates without any confidence')
    addSeries(this.run, [HEART_RATE], record, { start, offset: null, sourceType: 'watch' })
  }

  /** Adds energy of a minute, including that at rest, to its local day. The time is local. */
  calories(record: PartRecord): void {
    this.addToDay(CALORIES, takeoutDate(record.text('dateTime')), { calories_total: record.number('value') })
  }

  /** Adds energy in the table, whose time is in UTC, to its local day. */
  caloriesRow(row: TableRow): void {
    this.addToDay(CALORIES, this.localDate(row), { calories_total: row.number('calories') })
  }

  /** Adds the minutes of a day in one intensity. */
  intensity(field: string, record: PartRecord) {
    const date = takeoutDate(record.text('dateTime'))
    if (date !== undefined && this.idle.has(date)) return this.run.skip(PLACEHOLDER)
    this.addToDay(MINUTES, date, { [field]: record.number('value') }, MINUTES)
  }

  /** Reads the minutes of a day at rest, which show on which days no device was worn. */
  atRest(record: PartRecord): void {
    const date = takeoutDate(record.text('dateTime'))
    const isIdle = record.number('value') === ALL_DAY_MINUTES
    if (isIdle && date !== undefined) this.idle.add(date)
    this.run.skip(isIdle ? PLACEHOLDER : 'minutes at rest, for which a summary has no field')
  }

  intensityRow(row: TableRow): void {
    const fields = INTENSITIES.map(([, column, field]) => [field, row.number(column)])
    this.addToDay(MINUTES, this.localDate(row), Object.fromEntries(fields))
  }

  resting(record: PartRecord): void {
    this.addResting(takeoutDate(record.text('value.date')), record.positive('value.value'))
  }

  restingRow(row: TableRow): void {
    this.addResting(dateIn(row.text('timestamp')), row.positive('beats per minute'))
  }

  /** Adds values of a local date. */
  daily(rules: InstantTable['rules'], record: PartRecord) {
    const at = takeoutTime(record.text('dateTime'))
    if (at === undefined) return this.withoutTime()
    const { ms: start, offset } = this.clock.local(at)
    addSeries(this.run, rules, record, { start, offset, sourceType: 'watch' })
  }

  /** Reads a log of weights. The unit of a weight is that of the account, which no file states. */
  weight(record: PartRecord) {
    const at = takeoutTime(`${record.text('date')} ${record.text('time')}`)
    if (at === undefined) return this.withoutTime()
    this.run.skip("weights in the account's unit, which no file states; the weight table has them in grams")
    const { ms: start, offset } = this.clock.local(at)
    addSeries(this.run, WEIGHT_LOG, record, { start, offset, sourceType: 'scale' })
  }

  /** Adds a row of a table, unless another form of the data covers its day. */
  row(table: InstantTable, row: TableRow) {
    const { quantity, rules, clock, time = 'timestamp', sourceType = 'watch' } = table
    const text = row.text(time)
    const at = clock === 'date' ? this.midnight(text) : clock === 'local' ? this.clock.read(text) : utcTime(text)
    if (at === undefined) return this.withoutTime()
    if (!this.counts(quantity, at.ms)) return
    addSeries(this.run, rules, row, { start: at.ms, offset: at.offset, ...this.source(row, sourceType) })
  }

  score(id: string, score: string, row: TableRow): void {
    this.sleeps.score(row.text(id), row.number(score))
  }

  private addResting(date: IsoDate | undefined, bpm: number | undefined) {
    if (date === undefined || bpm === undefined) return this.run.skip(PLACEHOLDER)
    if (this.counts('resting heart rate', parseDate(date) ?? 0)) this.days.put(date, {}, { resting_bpm: bpm })
  }

  private addToDay(quantity: string, date: IsoDate | undefined, fields: DayFields, form = this.run.family) {
    if (date === undefined) return this.withoutTime()
    if (this.copies.counts(quantity, parseDate(date) ?? 0, form)) this.days.add(date, fields)
  }

  private counts(quantity: string, at: EpochMs): boolean {
    return this.copies.counts(quantity, at, this.run.family)
  }

  private withoutTime(): void {
    this.run.skip(`${this.run.family} records without a time`)
  }

  /** Returns the beginning of the local date at the beginning of a text. */
  private midnight(text: string | undefined): RecordTime | undefined {
    const date = parseDate(dateIn(text) ?? '')
    return date === undefined ? undefined : this.clock.local(date)
  }

  /** Returns the local date of a row whose time is in UTC. */
  private localDate(row: TableRow): IsoDate | undefined {
    const at = utcTime(row.text('timestamp'))?.ms
    if (at === undefined) return undefined
    return localDateIn({ ms: at, offset: this.clock.offsetOn(formatDate(at)) }, this.run.context.timeZone)
  }

  /** Returns the source that a row states. Every device and every app is a source of its own. */
  private source(row: TableRow, sourceType: string): Pick<SampleContext, 'sourceType' | 'text'> {
    const name = row.text('data source')
    if (name === undefined) return { sourceType }
    const kind = /mobile ?track/i.test(name) ? 'phone' : /health connect/i.test(name) ? 'app' : sourceType
    return { sourceType: kind, text: { device_id: this.run.deviceId(name) } }
  }
}

/** Returns the date at the beginning of a time, which is local although the time may say that it is in UTC. */
function dateIn(text: string | undefined): IsoDate | undefined {
  const date = text?.slice(0, 10)
  return date !== undefined && parseDate(date) !== undefined ? date : undefined
}

/** Returns the pattern of a table, whose name may have a date at its end. */
function table(file: string): RegExp {
  return file.endsWith(' - ') || file.endsWith('*')
    ? part(`${file}*.csv`)
    : new RegExp(`(?:^|/)${file}(?:_\\d{4}-\\d{2}-\\d{2})?\\.csv$`)
}

const list = (name: string, take: (takeout: Takeout, record: PartRecord) => void): Family<Takeout> => ({
  name,
  path: part(`${name}-DATE.json`),
  read: 'json',
  list: '',
  take,
})
const rows = (name: string, file: string, take: (takeout: Takeout, row: TableRow) => void): Family<Takeout> => ({
  name,
  path: table(file),
  read: 'csv',
  take,
})

/** Offsets and scores come first, then the form of each quantity that is preferred. */
const FAMILIES: readonly Family<Takeout>[] = [
  ...Object.entries(NOT_READ).flatMap(([skip, names]) =>
    names.map((name): Family<Takeout> => ({ name: 'file', path: part(name), skip })),
  ),
  rows('nights table', 'usersleeps', (takeout, row) => takeout.sleeps.addRow(row)),
  rows('exercises table', 'userexercises', (takeout, row) => takeout.exercises.addRow(row)),
  rows('scores table', 'usersleepscores', (takeout, row) => takeout.score('sleep_id', 'overall_score', row)),
  rows('sleep scores', 'sleep_score', (takeout, row) => takeout.score('sleep_log_entry_id', 'overall_score', row)),
  list('sleep', (takeout, record) => takeout.sleeps.addLog(record)),
  rows('stages table', 'usersleepstages', (takeout, row) => takeout.sleeps.addStage(row)),
  {
    name: 'exercise',
    path: /(?:^|\/)exercise-\d+\.json$/,
    read: 'json',
    list: '',
    take: (takeout, record) => takeout.exercises.addLog(record),
  },
  ...MINUTE_LISTS.map(each => list(each.name, (takeout, record) => takeout.minute(each.rules, record))),
  list('heart_rate', (takeout, record) => takeout.heartRate(record)),
  list('calories', (takeout, record) => takeout.calories(record)),
  list('sedentary_minutes', (takeout, record) => takeout.atRest(record)),
  ...INTENSITIES.map(([name, , field]) => list(name, (takeout, record) => takeout.intensity(field, record))),
  list('resting_heart_rate', (takeout, record) => takeout.resting(record)),
  ...FITNESS_LISTS.map(({ name, rule }) => list(name, (takeout, record) => takeout.daily([rule], record))),
  ...INSTANT_TABLES.map(each => rows(each.name, each.file, (takeout, row) => takeout.row(each, row))),
  list('weight', (takeout, record) => takeout.weight(record)),
  rows('energy table', 'calories', (takeout, row) => takeout.caloriesRow(row)),
  rows('active minutes table', 'active_minutes', (takeout, row) => takeout.intensityRow(row)),
  rows('resting heart rate table', 'daily_resting_heart_rate', (takeout, row) => takeout.restingRow(row)),
]

/** The importer. See docs/import.md for what is read. */
export const googleTakeout = archiveImporter<Takeout>({
  format: 'google_takeout',
  title: 'Google Takeout of Google Health or Fitbit (zip)',
  provider: PROVIDER,
  sourceType: 'watch',
  kinds: kindsOfSeries(PROVIDER, [
    ...INSTANT_TABLES.flatMap(({ rules }) => rules),
    ...MINUTE_LISTS.flatMap(({ rules }) => rules),
    ...FITNESS_LISTS.map(({ rule }) => rule),
    ...WEIGHT_LOG,
    HEART_RATE,
  ]),
  mark: /(?:^|\/)(?:fitbit|google health|myfitbitdata|user-site-export|physical activity_googledata|global export data)\/|(?:^|\/)heart_rate-\d{4}-\d{2}-\d{2}\.json$/,
  families: FAMILIES,
  begin: run => new Takeout(run),
})
