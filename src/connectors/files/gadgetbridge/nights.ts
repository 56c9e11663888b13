/** Reads the nights of Xiaomi's bands: sessions, and the times at which stages begin. */
import { MINUTE_MS } from '../../../core/time.ts'
import { STAGES, sleepType } from '../../shared/summaries.ts'
import type { SleepStage } from '../sleep/sessions.ts'
import { addNight, MOST_STAGES, type Night, sleepStage } from '../sqlite/nights.ts'
import { offsetInZone } from '../sqlite/recorded-by.ts'
import { readRows } from '../sqlite/rows.ts'
import { SessionIndex } from '../sqlite/session-index.ts'
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

/** A night with the minutes that the band computed. */
interface XiaomiNight extends Night {
  readonly minutes: readonly (readonly [field: string, minutes: number])[]
}

export class XiaomiNights {
  private readonly nights: XiaomiNight[] = []
  private readonly reading: Reading

  constructor(reading: Reading) {
    this.reading = reading
  }

  /** Reads the sessions and their stages. Yields after each batch. */
  async *read(sessions: Table | undefined, stages: Table | undefined): AsyncGenerator<void> {
    const { importing, reader, source } = this.reading
    const index = new SessionIndex<Night>()
    const columns = ['TIMESTAMP', 'WAKEUP_TIME', 'DEVICE_ID', ...Object.values(MINUTES)]
    for await (const rows of sessions === undefined ? [] : readRows(reader, sessions, columns)) {
      const [starts, ends, devices] = columns.map(name => rows.numbers(name))
      importing.records += rows.n
      for (let i = 0; i < rows.n; i++) {
        const [start = Number.NaN, end = Number.NaN] = [starts?.[i], ends?.[i]]
        const isTooMany = this.nights.length === MOST_NIGHTS
        const problem =
          timesProblem(importing, start, end) ?? (isTooMany ? 'exceeds the limit of 40000 nights' : undefined)
        if (problem !== undefined) {
          importing.skip(`a row of XIAOMI_SLEEP_TIME_SAMPLE ${problem}`, rows.place(i))
          continue
        }
        const by = source(devices?.[i] as number, 'watch')
        const minutes = Object.entries(MINUTES).map(([field, column]) => [field, rows.numbers(column)[i] ?? 0] as const)
        const common = { start, end, source: by, id: [by.key, start], endOffset: offsetInZone(importing, end) }
        this.nights.push({ ...common, stages: [], minutes: minutes.filter(([, value]) => value > 0) })
      }
      yield
    }
    for (const night of this.nights) index.add(night.source.key, night)
    let count = 0
    for await (const rows of stages === undefined
      ? []
      : readRows(reader, stages, ['TIMESTAMP', 'DEVICE_ID', 'STAGE'])) {
      const [times, devices, codes] = ['TIMESTAMP', 'DEVICE_ID', 'STAGE'].map(name => rows.numbers(name))
      for (let i = 0; i < rows.n; i++) {
        const [at = Number.NaN, stage = null] = [times?.[i], STAGE_CODES.get(codes?.[i] as number)]
        const night = index.find(source(devices?.[i] as number, 'watch').key, at, at)
        if (night !== undefined && ++count <= MOST_STAGES) night.stages.push(sleepStage(at, night.end, stage))
        if (night !== undefined && stage !== null) continue
        importing.records++
        importing.skip('a stage of sleep has an unknown code, or is outside its session', rows.place(i))
      }
      yield
    }
  }

  /** Adds the summaries. Call this when the heart's values are complete. */
  finish(): void {
    const { importing, heart } = this.reading
    for (const { minutes, ...night } of this.nights) {
      // each stage lasts until the next one
      const changes = night.stages.sort((a, b) => a.start - b.start)
      const stages = changes.map((each, i) => ({ ...each, end: changes[i + 1]?.start ?? each.end }))
      const known = stages.filter(({ start, end, stage }) => stage !== null && start < end)
      const length = night.end - night.start
      // minutes of more than the whole night would have another unit
      const isPlausible = known.length === 0 && minutes.every(([, value]) => value * MINUTE_MS <= length)
      const stated = isPlausible ? minutes.map(([field, value]) => [field, value * SECONDS_PER_MINUTE]) : []
      addNight(
        importing,
        heart,
        { ...night, stages: known },
        { type: sleepType(length), ...Object.fromEntries(stated) },
      )
    }
  }
}
