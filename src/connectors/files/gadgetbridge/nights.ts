/** Reads the nights of Xiaomi's bands: sessions, and the times at which stages begin. */
import { getOrInsert } from '../../../core/maps.ts'
import { NO_OFFSET } from '../../../core/sample.ts'
import { type EpochMs, MINUTE_MS } from '../../../core/time.ts'
import { type Session, STAGES, sleepCycle, sleepSummary, sleepType } from '../../shared/summaries.ts'
import { groupSessions, type SleepSegment, type SleepStage } from '../sleep/sessions.ts'
import { summaryFields } from '../sleep/summaries.ts'
import { offsetInZone, type RecordedBy, summaryOrigin } from '../sqlite/recorded-by.ts'
import { type Rows, readRows } from '../sqlite/rows.ts'
import type { Table } from '../sqlite/table.ts'
import { type Reading, timesProblem } from './records.ts'

/** Stages by code. */
const STAGE_CODES: ReadonlyMap<number, SleepStage> = new Map([
  [2, STAGES.deep],
  [3, STAGES.light],
  [4, STAGES.rem],
])
/** Columns with minutes, by field of a summary. */
const MINUTES: Readonly<Record<string, string>> = {
  total: 'TOTAL_DURATION',
  deep: 'DEEP_SLEEP_DURATION',
  light: 'LIGHT_SLEEP_DURATION',
  rem: 'REM_SLEEP_DURATION',
  awake: 'AWAKE_DURATION',
}
const SECONDS_PER_MINUTE = 60
const MOST_NIGHTS = 40_000
const MOST_STAGES = 1_000_000

interface Night extends Session {
  readonly source: RecordedBy
  readonly minutes: Readonly<Record<string, number>>
}
/** When a stage begins. Null means that it is unknown. */
interface Change {
  readonly at: EpochMs
  readonly stage: SleepStage | null
}

export class XiaomiNights {
  private readonly nights: Night[] = []
  /** By source. */
  private readonly changes = new Map<string, Change[]>()
  private readonly reading: Reading

  constructor(reading: Reading) {
    this.reading = reading
  }

  /** Reads the sessions and the changes of stage. Yields after each batch. */
  async *read(sessions: Table | undefined, stages: Table | undefined): AsyncGenerator<void> {
    const { importing, reader } = this.reading
    if (sessions !== undefined) {
      const columns = ['TIMESTAMP', 'WAKEUP_TIME', 'DEVICE_ID', ...Object.values(MINUTES)]
      for await (const rows of readRows(reader, sessions, columns)) {
        importing.records += rows.n
        const ends = rows.numbers('WAKEUP_TIME')
        for (const [i, start] of rows.numbers('TIMESTAMP').entries())
          this.addNight(rows, i, { start, end: ends[i] ?? 0 })
        yield
      }
    }
    if (stages === undefined) return
    let count = 0
    for await (const rows of readRows(reader, stages, ['TIMESTAMP', 'DEVICE_ID', 'STAGE'])) {
      const [devices, codes] = [rows.numbers('DEVICE_ID'), rows.numbers('STAGE')]
      for (const [i, at] of rows.numbers('TIMESTAMP').entries()) {
        const stage = STAGE_CODES.get(codes[i] ?? 0) ?? null
        if (stage === null) {
          importing.records++
          importing.skip('a stage of sleep has an unknown code', rows.place(i))
        }
        const { key } = this.source(devices[i])
        if (++count <= MOST_STAGES) getOrInsert(this.changes, key, () => []).push({ at, stage })
      }
      yield
    }
  }

  /** Adds the summaries. Call this when the heart's values are complete. */
  finish(): void {
    for (const list of this.changes.values()) list.sort((a, b) => a.at - b.at)
    for (const night of this.nights) this.add(night)
  }

  private source(device = Number.NaN): RecordedBy {
    return this.reading.source(device, 'watch')
  }

  private addNight(rows: Rows, i: number, session: Session): void {
    const { importing } = this.reading
    const problem = timesProblem(importing, session.start, session.end)
    if (problem !== undefined || this.nights.length === MOST_NIGHTS) {
      const why = problem ?? `exceeds the limit of ${MOST_NIGHTS} nights`
      importing.skip(`a row of XIAOMI_SLEEP_TIME_SAMPLE ${why}`, rows.place(i))
      return
    }
    const stated = Object.entries(MINUTES).map(([field, column]) => [field, rows.numbers(column)[i] ?? 0] as const)
    const minutes = Object.fromEntries(stated.filter(([, value]) => value > 0))
    this.nights.push({ ...session, source: this.source(rows.numbers('DEVICE_ID')[i]), minutes })
  }

  private add({ source, minutes, ...night }: Night): void {
    const { importing, heart } = this.reading
    const offset = offsetInZone(importing, night.end)
    const origin = summaryOrigin(importing, source, [source.key, night.start], { ms: night.end, offset })
    const stages = this.stagesIn(source, night)
    const [session] = groupSessions(source.key, [...stages, { ...night, stage: null, endOffset: NO_OFFSET, byte: 0 }])
    if (session === undefined) return
    // minutes of more than the whole night would have another unit
    const isPlausible = Object.values(minutes).every(value => value * MINUTE_MS <= night.end - night.start)
    const stated = Object.entries(isPlausible ? minutes : {}).map(([field, value]) => [
      field,
      value * SECONDS_PER_MINUTE,
    ])
    const fields =
      stages.length > 0
        ? summaryFields({ ...session, hasBedTime: false })
        : { type: sleepType(night.end - night.start), ...Object.fromEntries(stated) }
    const all = { ...fields, ...heart.nightFields(source, session, origin.date) }
    importing.addItem({ kind: 'summary', summary: sleepSummary(origin, session, all) })
    if (stages.length > 0) importing.addItem({ kind: 'summary', summary: sleepCycle(origin, session, session.stages) })
  }

  /** Returns the known stages of a night. Each lasts until the next change or the end of the night. */
  private stagesIn({ key }: RecordedBy, { start, end }: Session): readonly SleepSegment[] {
    const all = this.changes.get(key) ?? []
    const from = firstFrom(all, start)
    const within = all.slice(from, firstFrom(all, end))
    return within.flatMap(({ at, stage }, i) => {
      const until = within[i + 1]?.at ?? end
      return stage === null || until <= at ? [] : [{ start: at, end: until, stage, endOffset: NO_OFFSET, byte: 0 }]
    })
  }
}

/** Returns the index of the first change at or after a time. */
function firstFrom(changes: readonly Change[], time: EpochMs): number {
  let [low, high] = [0, changes.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((changes[middle]?.at ?? 0) < time) low = middle + 1
    else high = middle
  }
  return low
}
