/** Importer for Oura's export: tables whose columns are the fields of its API, so the rules of live connections apply. */
import { NIGHT_TYPE } from '../../../catalogue/kinds.ts'
import { type EpochMs, type IsoDate, parseDate, SECOND_MS } from '../../../core/time.ts'
import { type FieldRule, filled, mappedValues } from '../../live/field-table.ts'
import {
  ACTIVITY_FIELDS,
  READINESS_FIELDS,
  SCORE_FIELDS,
  SLEEP_FIELDS,
  SLEEP_TYPES,
  SPO2_SAMPLES,
  STAGE_OF,
  VO2_SAMPLES,
  WORKOUT_FIELDS,
} from '../../live/oura/tables.ts'
import { asList, asNumber, asText, member } from '../../shared/json-fields.ts'
import { sportOfName } from '../../shared/sport-names.ts'
import type { StageSpan } from '../../shared/summaries.ts'
import { ArchiveData } from '../archive/data.ts'
import { type Family, type TableFamily, tables } from '../archive/format.ts'
import { addNight } from '../archive/nights.ts'
import { archiveImporter } from '../archive/reader.ts'
import type { TableRow } from '../archive/record.ts'
import { addSeries, kindsOfSeries, rule, type SampleContext } from '../archive/series.ts'
import { addWorkout } from '../archive/workouts.ts'

const PROVIDER = 'oura'
const BPM = rule('bpm', 'heartrate', { none: [0] })
const SKIN = rule('skin_temp', 'body_temperature', { type: 'skin' })
const WITH_NIGHT = 'scores of days, which are stored with the long sleep of the day'
/** Maximum number of days whose scores wait for their night, enough for more than a lifetime. */
const MOST_DAYS = 40_000

class OuraExport extends ArchiveData {
  /** Fields of the long sleep, by its day. */
  private readonly scores = new Map<IsoDate, Readonly<Record<string, number | null>>>()

  activity(row: TableRow): void {
    this.days.put(row.text('day'), filled(ACTIVITY_FIELDS, row.fields()))
  }

  /** Keeps a day's scores for its long sleep. */
  score(rules: readonly FieldRule[], row: TableRow) {
    const day = row.text('day')
    if (day === undefined || this.scores.size >= MOST_DAYS) return this.run.skip('scores without a day')
    this.scores.set(day, { ...this.scores.get(day), ...filled(rules, row.fields()) })
    this.run.skip(WITH_NIGHT)
  }

  sleep(row: TableRow) {
    const { run, clock } = this
    const [start, end] = [clock.read(row.text('bedtime_start')), clock.read(row.text('bedtime_end'))]
    const type = row.text('type') ?? 'long_sleep'
    if (!Object.hasOwn(SLEEP_TYPES, type)) return run.skip('rests and deleted sleeps, which are not sleep')
    const isNap = SLEEP_TYPES[type] === 'acknowledged_nap'
    const scores = isNap ? {} : this.scores.get(row.text('day') ?? '')
    const fields = { ...filled(SLEEP_FIELDS, row.fields()), ...scores }
    const spans = start && end && hypnogram(row, start.ms, end.ms)
    addNight(run, { id: row.text('id'), start, end, fields, spans: spans ?? [], isNap, hasOwnDurations: true })
    if (start === undefined || end === undefined) return
    const value = row.positive('average_hrv')
    if (!this.items(row.json('hrv'), 'hrv') && value !== undefined) {
      run.sample('hrv', { start: end.ms, value, offset: end.offset, text: { type: NIGHT_TYPE } })
    }
    this.items(row.json('heart_rate'), 'heartrate')
  }

  heartRate(row: TableRow) {
    const time = this.clock.read(row.text('timestamp'))
    if (time === undefined || !this.copies.counts('heart rates', time.ms, 'heartrate')) return
    const source = row.text('source')
    const isName = source !== undefined && /^[a-z_]{1,20}$/.test(source)
    addSeries(this.run, [BPM], row, { start: time.ms, offset: time.offset, ...(isName && { text: { type: source } }) })
  }

  temperature(row: TableRow): void {
    const time = this.clock.read(row.text('timestamp'))
    if (time !== undefined) addSeries(this.run, [SKIN], row, { start: time.ms, offset: time.offset })
  }

  /** Adds a value of a day. */
  daily(rules: readonly FieldRule[], row: TableRow) {
    const midnight = parseDate(row.text('day') ?? '')
    if (midnight === undefined) return
    const { ms: start, offset } = this.clock.local(midnight)
    const record = { ...row.fields(), spo2_percentage: row.json('spo2_percentage') }
    for (const { rule: each, value } of mappedValues(rules, record)) this.run.sample(each.to, { start, value, offset })
  }

  workout(row: TableRow): void {
    addWorkout(this.run, {
      id: row.text('id'),
      start: this.clock.read(row.text('start_datetime')),
      endMs: this.clock.read(row.text('end_datetime'))?.ms,
      sport: sportOfName(row.text('activity') ?? ''),
      title: row.text('label'),
      stated: filled(WORKOUT_FIELDS, row.fields()),
      sourceType: row.text('source') === 'manual' ? 'app' : 'ring',
    })
  }

  /** Adds the readings of a night, `{interval, items, timestamp}`. Returns whether there are any. */
  private items(list: unknown, resource: 'hrv' | 'heartrate'): boolean {
    const first = this.clock.read(asText(member(list, 'timestamp')))
    const seconds = asNumber(member(list, 'interval'))
    if (first === undefined || seconds === undefined || seconds <= 0) return false
    for (const [i, value] of asList(member(list, 'items')).entries()) {
      // null is a gap
      if (typeof value !== 'number') continue
      const sample: SampleContext = { start: first.ms + i * seconds * SECOND_MS, offset: first.offset }
      if (resource === 'hrv') this.run.sample(resource, { value, ...sample })
      else if (this.copies.counts('heart rates', sample.start, 'nights'))
        this.run.sample(resource, { value, ...sample, text: { type: 'sleep' } })
    }
    return true
  }
}

/** Returns the stages of a night. The finer list is used if it is about as long as the coarser one. */
function hypnogram(row: TableRow, start: EpochMs, end: EpochMs): readonly StageSpan[] {
  const [fine, coarse] = [row.text('sleep_phase_30_sec') ?? '', row.text('sleep_phase_5_min') ?? '']
  const isFine = fine !== '' && (coarse === '' || Math.abs(fine.length / 10 - coarse.length) <= 1)
  const [text, length] = isFine ? [fine, 30 * SECOND_MS] : [coarse, 300 * SECOND_MS]
  return [...text].flatMap((digit, i) => {
    const [stage, from] = [STAGE_OF[digit], start + i * length]
    return stage === undefined || from >= end ? [] : [{ stage, start: from, end: Math.min(end, from + length) }]
  })
}

const table = (name: string, take: TableFamily<OuraExport>['take']): Family<OuraExport> =>
  tables(name, new RegExp(`(?:^|/)app data/${name}\\.csv$`), take)

/** Scores come before the nights that they belong to, and heart rates of the whole day before those of nights. */
export const oura = archiveImporter<OuraExport>({
  format: 'oura',
  title: 'Oura export (zip)',
  provider: PROVIDER,
  sourceType: 'ring',
  kinds: kindsOfSeries(PROVIDER, [
    ...[BPM, SKIN, rule('hrv', 'hrv'), rule('average_hrv', 'hrv', { type: NIGHT_TYPE })],
    ...[...SPO2_SAMPLES, ...VO2_SAMPLES].map(({ from, to }) => rule(from, to)),
  ]),
  mark: /(?:^|\/)app data\/(?:sleepmodel|daily[a-z0-9]+|heartrate)\.csv$/,
  families: [
    table('dailyreadiness', (data, row) => data.score(READINESS_FIELDS, row)),
    table('dailysleep', (data, row) => data.score(SCORE_FIELDS, row)),
    table('heartrate', (data, row) => data.heartRate(row)),
    table('sleepmodel', (data, row) => data.sleep(row)),
    table('dailyactivity', (data, row) => data.activity(row)),
    table('dailyspo2', (data, row) => data.daily(SPO2_SAMPLES, row)),
    table('vo2max', (data, row) => data.daily(VO2_SAMPLES, row)),
    table('temperature', (data, row) => data.temperature(row)),
    table('workout', (data, row) => data.workout(row)),
  ],
  data: OuraExport,
})
