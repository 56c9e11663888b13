/** Builds the summaries of nights, and of days with a resting heart rate. They are complete only at the end of the export. */
import { getOrInsert } from '../../../core/maps.ts'
import { NO_OFFSET } from '../../../core/sample.ts'
import type { EpochMs, IsoDate } from '../../../core/time.ts'
import { HeartValues, MOST_WAITING } from '../../shared/heart-values.ts'
import { dateIn, type RecordTime } from '../../shared/record-time.ts'
import {
  activitySummary,
  STAGES,
  type SummaryOrigin,
  sleepCycle,
  sleepSummary,
  sleepType,
} from '../../shared/summaries.ts'
import { groupSessions, type SleepSegment, type SleepStage } from '../apple/sleep.ts'
import { summaryFields } from '../apple/sleep-summary.ts'
import { readRows } from '../sqlite/rows.ts'
import { type Reading, type SessionRecord, sessionRecords } from './records.ts'
import type { RecordedBy } from './sources.ts'

const SLEEP = 'sleep_session_record_table'
const STAGE = 'sleep_stages_table'
const TIMES = { start: 'start_time', end: 'end_time', offset: 'start_zone_offset', endOffset: 'end_zone_offset' }
/** Stages by code: unknown, awake, sleeping, out of bed, light, deep, REM, awake in bed. Null means that the stage is unknown. */
const STAGE_CODES: readonly (SleepStage | null)[] = [
  ...[null, STAGES.awake, STAGES.missing, STAGES.awake, STAGES.light, STAGES.deep, STAGES.rem, STAGES.awake],
]
/** Maximum number of stages, enough for more than 50 years of nights. */
const MOST_STAGES = 1_000_000

interface Night extends Omit<SessionRecord, 'rows' | 'i'> {
  readonly stages: SleepSegment[]
}
interface Day {
  readonly source: RecordedBy
  readonly date: IsoDate
  readonly offset: number | null
}

export class DaysAndNights {
  private readonly heart = new HeartValues()
  /** Days with a resting heart rate, by date and source. */
  private readonly days = new Map<string, Day>()
  private readonly nights = new Map<number, Night>()
  private readonly reading: Reading

  constructor(reading: Reading) {
    this.reading = reading
  }

  /** Adds a resting heart rate. The last one of a day counts. */
  addResting(source: RecordedBy, time: RecordTime, bpm: number): void {
    const date = dateIn(time, this.reading.importing.context.timeZone)
    const key = `${date} ${source.key}`
    if (this.days.size >= MOST_WAITING && !this.days.has(key)) return
    getOrInsert(this.days, key, () => ({ source, date, offset: time.offset }))
    this.heart.addResting(date, { sourceType: source.key, at: time.ms, value: bpm })
  }

  /** Adds a value of heart rate variability (RMSSD), in ms. */
  addVariability(source: RecordedBy, at: EpochMs, value: number): void {
    this.heart.addVariability({ sourceType: source.key, at, value })
  }

  /** Reads the nights and their stages. Yields after each batch. */
  async *readNights(): AsyncGenerator<void> {
    const { reader, importing, tables } = this.reading
    const [sessions, stages] = [tables.get(SLEEP), tables.get(STAGE)]
    if (sessions !== undefined) {
      for await (const night of sessionRecords(this.reading, sessions, [], TIMES)) {
        const { rows: _, i: __, ...rest } = night
        this.nights.set(night.row, { ...rest, stages: [] })
      }
    }
    if (stages === undefined) return
    let count = 0
    for await (const rows of readRows(reader, stages, [
      'parent_key',
      'stage_start_time',
      'stage_end_time',
      'stage_type',
    ])) {
      const [parents, types] = [rows.numbers('parent_key'), rows.numbers('stage_type')]
      const [starts, ends] = [rows.numbers('stage_start_time'), rows.numbers('stage_end_time')]
      for (let i = 0; i < rows.n; i++) {
        const night = this.nights.get(parents[i] as number)
        const stage = STAGE_CODES[types[i] as number]
        const [start, end] = [starts[i] as number, ends[i] as number]
        const isValid =
          night !== undefined && stage !== undefined && start >= night.start && end <= night.end && start < end
        if (isValid && ++count <= MOST_STAGES) night.stages.push({ start, end, stage, endOffset: NO_OFFSET, byte: 0 })
        else {
          importing.records++
          importing.skip('a stage of sleep has an unknown code, or is outside its session', rows.place(i))
        }
      }
      yield
    }
  }

  /** Adds the summaries of all nights and days. */
  finish(): void {
    const { importing } = this.reading
    for (const night of this.nights.values()) this.addNight(night)
    for (const { source, date, offset } of this.days.values()) {
      const origin = summaryOrigin(this.reading, source, [source.key, date], date, offset)
      const resting = this.heart.restingOn(date, source.key)
      importing.addItem({ kind: 'summary', summary: activitySummary(origin, { heart_rate: { resting_bpm: resting } }) })
    }
  }

  private addNight({ source, id, start, end, endOffset, stages }: Night): void {
    const { importing } = this.reading
    const date = dateIn({ ms: end, offset: endOffset }, importing.context.timeZone)
    const origin = summaryOrigin(this.reading, source, id, date, endOffset)
    // a session without stages is time asleep, as Health Connect itself counts it
    const stage = stages.length === 0 ? STAGES.missing : null
    const whole: SleepSegment = { start, end, stage, endOffset: NO_OFFSET, byte: 0 }
    const [session] = groupSessions(source.key, [...stages, whole])
    if (session === undefined) return
    const hasBedTime = stages.some(each => each.stage === STAGES.awake)
    const fields = {
      ...summaryFields({ ...session, hasBedTime }),
      hr_resting: sleepType(end - start) === 'long_sleep' ? this.heart.restingOn(date, source.key) : null,
      average_hrv: this.heart.variabilityIn(source.key, session),
    }
    importing.addItem({ kind: 'summary', summary: sleepSummary(origin, session, fields) })
    if (stages.length > 0) importing.addItem({ kind: 'summary', summary: sleepCycle(origin, session, session.stages) })
  }
}

/** Returns the origin of a record's summary. */
export function summaryOrigin(
  { importing }: Pick<Reading, 'importing'>,
  { provider, sourceType, appId, deviceId }: RecordedBy,
  recordId: string | readonly (string | number)[],
  date: IsoDate,
  offset: number | null,
): SummaryOrigin {
  return { userId: importing.context.userId, provider, sourceType, appId, deviceId, recordId, date, offset }
}
