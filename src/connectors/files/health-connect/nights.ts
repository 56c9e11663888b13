/** Reads the nights of a Health Connect export. They are complete only at its end, with the heart's values in them. */
import { NO_OFFSET } from '../../../core/sample.ts'
import { STAGES, sleepCycle, sleepSummary } from '../../shared/summaries.ts'
import { groupSessions, type SleepSegment, type SleepStage } from '../sleep/sessions.ts'
import { summaryFields } from '../sleep/summaries.ts'
import type { HeartDays } from '../sqlite/heart-days.ts'
import { summaryOrigin } from '../sqlite/recorded-by.ts'
import { readRows } from '../sqlite/rows.ts'
import { type Reading, type SessionRecord, sessionRecords } from './records.ts'

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

export class Nights {
  private readonly nights = new Map<number, Night>()
  private readonly reading: Reading

  constructor(reading: Reading) {
    this.reading = reading
  }

  /** Reads the nights and their stages. Yields after each batch. */
  async *read(): AsyncGenerator<void> {
    const { reader, importing, tables } = this.reading
    const [sessions, stages] = [tables.get(SLEEP), tables.get(STAGE)]
    if (sessions !== undefined) {
      for await (const night of sessionRecords(this.reading, sessions, [], TIMES)) {
        const { rows: _, i: __, ...rest } = night
        this.nights.set(night.row, { ...rest, stages: [] })
      }
    }
    if (stages === undefined) return
    const columns = ['parent_key', 'stage_type', 'stage_start_time', 'stage_end_time']
    let count = 0
    for await (const rows of readRows(reader, stages, columns)) {
      const [parents, types] = [rows.numbers('parent_key'), rows.numbers('stage_type')]
      const [starts, ends] = [rows.numbers('stage_start_time'), rows.numbers('stage_end_time')]
      for (let i = 0; i < rows.n; i++) {
        const [parent = Number.NaN, type = Number.NaN] = [parents[i], types[i]]
        const [start = Number.NaN, end = Number.NaN] = [starts[i], ends[i]]
        const [night, stage] = [this.nights.get(parent), STAGE_CODES[type]]
        const isKnown = night !== undefined && stage !== undefined
        if (isKnown && start >= night.start && end <= night.end && start < end && ++count <= MOST_STAGES) {
          night.stages.push({ start, end, stage, endOffset: NO_OFFSET, byte: 0 })
        } else {
          importing.records++
          importing.skip('a stage of sleep has an unknown code, or is outside its session', rows.place(i))
        }
      }
      yield
    }
  }

  /** Adds the summaries. Call this when the heart's values are complete. */
  finish(heart: HeartDays): void {
    for (const night of this.nights.values()) this.add(night, heart)
  }

  private add({ source, id, start, end, endOffset, stages }: Night, heart: HeartDays): void {
    const { importing } = this.reading
    const origin = summaryOrigin(importing, source, id, { ms: end, offset: endOffset })
    // a session without stages is time asleep, as Health Connect itself counts it
    const stage = stages.length === 0 ? STAGES.missing : null
    const whole: SleepSegment = { start, end, stage, endOffset: NO_OFFSET, byte: 0 }
    const [session] = groupSessions(source.key, [...stages, whole])
    if (session === undefined) return
    const hasBedTime = stages.some(each => each.stage === STAGES.awake)
    const fields = { ...summaryFields({ ...session, hasBedTime }), ...heart.nightFields(source, session, origin.date) }
    importing.addItem({ kind: 'summary', summary: sleepSummary(origin, session, fields) })
    if (stages.length > 0) importing.addItem({ kind: 'summary', summary: sleepCycle(origin, session, session.stages) })
  }
}
