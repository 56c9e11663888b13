/** Reads the nights of a Health Connect export. They are complete only at its end, with the heart's values in them. */
import { SECOND_MS } from '../../../core/time.ts'
import { STAGES } from '../../shared/summaries.ts'
import type { SleepStage } from '../sleep/sessions.ts'
import type { HeartDays } from '../sqlite/heart-days.ts'
import { addNight, MOST_STAGES, type Night, sleepStage } from '../sqlite/nights.ts'
import { readRows } from '../sqlite/rows.ts'
import { type Reading, sessionRecords } from './records.ts'
import { WHOLE_INTERVAL } from './tables.ts'

const SLEEP = 'sleep_session_record_table'
const STAGE = 'sleep_stages_table'
const COLUMNS = ['parent_key', 'stage_type', 'stage_start_time', 'stage_end_time']
/** Stages by code: unknown, awake, sleeping, out of bed, light, deep, REM, awake in bed. Null means that the stage is unknown. */
const STAGE_CODES: readonly (SleepStage | null)[] = [
  ...[null, STAGES.awake, STAGES.missing, STAGES.awake, STAGES.light, STAGES.deep, STAGES.rem, STAGES.awake],
]

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
      for await (const { row, rows: _, ...night } of sessionRecords(this.reading, sessions, [], WHOLE_INTERVAL))
        this.nights.set(row, { ...night, stages: [] })
    }
    if (stages === undefined) return
    let count = 0
    for await (const rows of readRows(reader, stages, COLUMNS)) {
      const [parents, types, starts, ends] = COLUMNS.map(name => rows.numbers(name))
      for (let i = 0; i < rows.n; i++) {
        const [night, stage] = [this.nights.get(parents?.[i] ?? 0), STAGE_CODES[types?.[i] ?? Number.NaN]]
        const [start = Number.NaN, end = Number.NaN] = [starts?.[i], ends?.[i]]
        const isKnown = night !== undefined && stage !== undefined
        if (isKnown && start >= night.start && end <= night.end && start < end && ++count <= MOST_STAGES) {
          night.stages.push(sleepStage(start, end, stage))
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
    for (const night of this.nights.values()) {
      // a session without stages is time asleep, as Health Connect itself counts it
      const asleep = night.stages.length === 0 ? { total: Math.round((night.end - night.start) / SECOND_MS) } : {}
      addNight(this.reading.importing, heart, night, asleep)
    }
  }
}
