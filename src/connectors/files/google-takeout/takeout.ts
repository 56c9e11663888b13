/** Importer for the takeout of Google Health and Fitbit: JSON lists, and tables with mostly the same data. */
import { type EpochMs, formatDate, type IsoDate, parseDate } from '../../../core/time.ts'
import { dateIn as localDateIn, type RecordTime } from '../../shared/record-time.ts'
import { utcTime } from '../archive/clock.ts'
import { ArchiveData } from '../archive/data.ts'
import type { DayFields } from '../archive/days.ts'
import { type Family, lists, notRead, part, tables } from '../archive/format.ts'
import { archiveImporter } from '../archive/reader.ts'
import type { PartRecord, TableRow } from '../archive/record.ts'
import { addSeries, kindsOfSeries, type SampleContext } from '../archive/series.ts'
import { TakeoutExercises } from './exercises.ts'
import { TakeoutSleeps } from './sleeps.ts'
import {
  BODY_MASS_INDEX,
  FAT,
  FITNESS_LISTS,
  INSTANT_LISTS,
  INSTANT_TABLES,
  INTENSITIES,
  type InstantTable,
  NOT_READ,
} from './tables.ts'
import { takeoutDate, takeoutTime } from './times.ts'

const PROVIDER = 'google_health'
const PLACEHOLDER = 'placeholders for days without data'
/** A day whose minutes are all at rest was not measured. */
const ALL_DAY_MINUTES = 1440
/** Maximum number of sources that are kept. */
const MOST_SOURCES = 1000
const CALORIES = 'energy'
const MINUTES = 'active minutes'

class Takeout extends ArchiveData {
  readonly sleeps = new TakeoutSleeps(this.run, this.clock)
  readonly exercises = new TakeoutExercises(this.run, this.clock)
  /** What samples say about their source, by source type and name of the device or app. */
  private readonly sources = new Map<string, Pick<SampleContext, 'sourceType' | 'text'>>()
  /** Days on which no device was worn. */
  private readonly idle = new Set<IsoDate>()

  override finish(): void {
    this.sleeps.finish()
    this.exercises.finish()
    super.finish()
  }

  /** Adds a value at a UTC time, which lasts for this long. */
  instant(quantity: string, rules: InstantTable['rules'], lengthMs: number, record: PartRecord) {
    const start = takeoutTime(record.text('dateTime'))
    if (start === undefined || !this.counts(quantity, start)) return
    if (record.number('value.confidence') === 0) return this.run.skip('heart rates without any confidence')
    addSeries(this.run, rules, record, { start, end: start + lengthMs, offset: null })
  }

  /** Adds energy of a minute, including that at rest, to its local day. The time is local. */
  calories(record: PartRecord): void {
    this.addToDay(CALORIES, takeoutDate(record.text('dateTime')), { calories_total: record.number('value') })
  }

  /** Adds energy in the table, whose time is in UTC, to its local day. */
  caloriesRow(row: TableRow): void {
    this.addToDay(CALORIES, this.localDate(row), { calories_total: row.number('calories') }, row)
  }

  /** Adds the minutes of a day in one intensity. */
  intensity(field: string, record: PartRecord) {
    const date = takeoutDate(record.text('dateTime'))
    if (date !== undefined && this.idle.has(date)) return this.run.skip(PLACEHOLDER)
    this.addToDay(MINUTES, date, { [field]: record.number('value') })
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
    this.addToDay(MINUTES, this.localDate(row), Object.fromEntries(fields), row)
  }

  resting(record: PartRecord): void {
    this.addResting(takeoutDate(record.text('value.date')), record.positive('value.value'))
  }

  restingRow(row: TableRow): void {
    this.addResting(dateIn(row.text('timestamp')), row.positive('beats per minute'))
  }

  /** Adds a value of a local date. */
  daily(rules: InstantTable['rules'], record: PartRecord): void {
    const at = takeoutTime(record.text('dateTime'))
    if (at === undefined) return
    const { ms: start, offset } = this.clock.local(at)
    addSeries(this.run, rules, record, { start, offset })
  }

  /** Reads a log of weights. The unit of a weight is that of the account, which no file states. */
  weight(record: PartRecord): void {
    const at = takeoutTime(`${record.text('date')} ${record.text('time')}`)
    if (at === undefined) return
    this.run.skip("weights in the account's unit, which no file states; the weight table has them in grams")
    const { ms: start, offset } = this.clock.local(at)
    const context = { start, offset, sourceType: 'scale' }
    addSeries(this.run, [BODY_MASS_INDEX], record, context)
    if (record.positive('fat') !== undefined && this.counts('body fat', start))
      addSeries(this.run, [FAT], record, context)
  }

  /** Adds a row of a table, unless another form of the data covers its day. */
  row(table: InstantTable, row: TableRow) {
    const { quantity, rules, clock, time = 'timestamp', sourceType = 'watch' } = table
    const text = row.text(time)
    const at = clock === 'date' ? this.midnight(text) : clock === 'local' ? this.clock.read(text) : utcTime(text)
    if (at === undefined || !this.counts(quantity, at.ms)) return
    addSeries(this.run, rules, row, { start: at.ms, offset: at.offset, ...this.source(row, sourceType) })
  }

  private addResting(date: IsoDate | undefined, bpm: number | undefined) {
    if (date === undefined || bpm === undefined) return this.run.skip(PLACEHOLDER)
    if (this.counts('resting heart rate', parseDate(date) ?? 0)) this.days.put(date, {}, { resting_bpm: bpm })
  }

  /** Adds to a day's fields. A row of a table may state its source. */
  private addToDay(quantity: string, date: IsoDate | undefined, fields: DayFields, row?: TableRow): void {
    const at = parseDate(date ?? '')
    if (at === undefined || !this.copies.counts(quantity, at, row === undefined ? 'JSON' : 'table')) return
    this.days.add(date, quantity, fields, row?.text('data source'))
  }

  private counts(quantity: string, at: EpochMs): boolean {
    return this.copies.counts(quantity, at, this.run.family)
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
    const known = this.sources.get(`${sourceType} ${name}`)
    if (known !== undefined) return known
    const kind = /mobile ?track/i.test(name) ? 'phone' : /health connect/i.test(name) ? 'app' : sourceType
    const source = { sourceType: kind, text: { device_id: this.run.deviceId(name) } }
    if (this.sources.size < MOST_SOURCES) this.sources.set(`${sourceType} ${name}`, source)
    return source
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

type Take<Record> = (data: Takeout, record: Record) => void
const list = (name: string, take: Take<PartRecord>): Family<Takeout> => lists(name, part(`${name}-DATE.json`), take)
const rows = (name: string, file: string, take: Take<TableRow>): Family<Takeout> => tables(name, table(file), take)

/** The importer. Offsets and scores come first, then the form of each quantity that is preferred. */
export const googleTakeout = archiveImporter<Takeout>({
  format: 'google_takeout',
  title: 'Google Takeout of Google Health or Fitbit (zip)',
  provider: PROVIDER,
  sourceType: 'watch',
  kinds: kindsOfSeries(PROVIDER, [
    ...[...INSTANT_TABLES, ...INSTANT_LISTS].flatMap(({ rules }) => rules),
    ...[...FITNESS_LISTS.map(each => each.rule), BODY_MASS_INDEX, FAT],
  ]),
  mark: /(?:^|\/)(?:fitbit|google health|myfitbitdata|user-site-export|physical activity_googledata|global export data)\/|(?:^|\/)heart_rate-\d{4}-\d{2}-\d{2}\.json$/,
  data: Takeout,
  families: [
    ...notRead(NOT_READ),
    rows('nights table', 'usersleeps', (data, row) => data.sleeps.addRow(row)),
    rows('exercises table', 'userexercises', (data, row) => data.exercises.addRow(row)),
    rows('scores table', 'usersleepscores', (data, row) => data.sleeps.score('sleep_id', row)),
    rows('sleep scores', 'sleep_score', (data, row) => data.sleeps.score('sleep_log_entry_id', row)),
    list('sleep', (data, record) => data.sleeps.addLog(record)),
    rows('stages table', 'usersleepstages', (data, row) => data.sleeps.addStage(row)),
    lists('exercise', /(?:^|\/)exercise-\d+\.json$/, (data, record) => data.exercises.addLog(record)),
    ...INSTANT_LISTS.map(({ name, quantity, rules, lengthMs }) =>
      list(name, (data, record) => data.instant(quantity, rules, lengthMs, record)),
    ),
    list('calories', (data, record) => data.calories(record)),
    list('sedentary_minutes', (data, record) => data.atRest(record)),
    ...INTENSITIES.map(([name, , field]) => list(name, (data, record) => data.intensity(field, record))),
    list('resting_heart_rate', (data, record) => data.resting(record)),
    ...FITNESS_LISTS.map(each => list(each.name, (data, record) => data.daily([each.rule], record))),
    ...INSTANT_TABLES.map(each => rows(each.name, each.file, (data, row) => data.row(each, row))),
    list('weight', (data, record) => data.weight(record)),
    rows('energy table', 'calories', (data, row) => data.caloriesRow(row)),
    rows('active minutes table', 'active_minutes', (data, row) => data.intensityRow(row)),
    rows('resting heart rate table', 'daily_resting_heart_rate', (data, row) => data.restingRow(row)),
  ],
})
