/** Reads one FIT file message by message and adds its contents to the import. */
import type { EpochMs } from '../../../core/time.ts'
import { addActivity } from '../activity/activity.ts'
import type { RecordImport } from '../records/import.ts'
import { FitActivities } from './activities.ts'
import { FitClock, NO_DATE } from './clock.ts'
import { FitDeveloperFields } from './developer.ts'
import {
  ACTIVITY,
  FIELD_DESCRIPTION,
  FILE_ID,
  LENGTH,
  MONITORING,
  MONITORING_INFO,
  NOT_IMPORTED,
  RECORD,
  SLEEP_DATA_INFO,
} from './kinds.ts'
import { type FitReading, isMeasure, readMeasures } from './measures.ts'
import type { FitMessage } from './message.ts'
import { FitMonitoring } from './monitoring.ts'
import { FitSleep, isSleepRecord } from './sleep.ts'
import { fitSource } from './source.ts'

/** File types whose records are a plan: a course, or a segment to race against. */
const PLANS: ReadonlySet<number> = new Set([6, 34])
const LOCAL_TIME_OF: ReadonlyMap<number, number> = new Map([
  [ACTIVITY, 5],
  [MONITORING_INFO, 0],
  [SLEEP_DATA_INFO, 2],
])

/**
 * Handles one file's messages. Messages with health data are records, stored or not: record, length and monitoring messages, records of
 * sleep, the readings in measures.ts and the messages in `NOT_IMPORTED`. A message without any field is not counted.
 */
export class FitContent {
  private readonly importing: RecordImport
  private readonly clock: FitClock
  private readonly developer = new FitDeveloperFields()
  private readonly activities = new FitActivities(this.developer)
  private readonly monitoring = new FitMonitoring()
  private readonly sleep: FitSleep
  private isPlan = false

  constructor(importing: RecordImport) {
    this.importing = importing
    this.clock = new FitClock(importing.context.timeZone)
    this.sleep = new FitSleep(importing)
    importing.comesFrom(fitSource(undefined, undefined))
  }

  take(message: FitMessage): void {
    const { number } = message
    const localTime = LOCAL_TIME_OF.get(number)
    if (localTime !== undefined) this.clock.learn(message.timestamp, message.get(localTime))
    if (number !== MONITORING || message.timestamp !== undefined) this.monitoring.sees(message)
    const problem = this.kept(message)
    if (problem !== undefined) this.importing.skip(problem, `byte ${message.at}`)
  }

  /** Adds the items completed so far. */
  settle(): void {
    this.addCounts(false)
  }

  /** Adds the remaining items. Call this at the end of the file or of its readable part. */
  finish(): void {
    this.addCounts(true)
    this.sleep.finish(this.clock)
    const drop = (reason: string, count: number): void => this.importing.skip(reason, undefined, count)
    for (const activity of this.activities.activities(this.clock, ms => this.problemAt(ms), drop)) {
      addActivity(this.importing, activity)
    }
  }

  private addCounts(isEnd: boolean): void {
    for (const { resource, start, end, value } of this.monitoring.take(isEnd)) {
      const [from, to] = [this.clock.toInstant(start), this.clock.toInstant(end)]
      if (from === undefined || to === undefined) this.importing.skip(`a count ${NO_DATE}`)
      else this.add({ resource, value }, from, to)
    }
  }

  /** Handles a message. Returns the reason why a record is not kept; undefined if it is kept. */
  private kept(message: FitMessage): string | undefined {
    const { number } = message
    if (number === FILE_ID) {
      this.importing.comesFrom(fitSource(message.get(1), message.get(0)))
      this.isPlan = PLANS.has(message.get(0) ?? -1)
      return undefined
    }
    if (number === FIELD_DESCRIPTION) {
      this.developer.learn(message)
      return undefined
    }
    const unwanted = NOT_IMPORTED.get(number)
    const isReading = number === MONITORING || isMeasure(number) || isSleepRecord(number)
    const isRecord = number === RECORD || number === LENGTH || isReading
    if (message.isEmpty || !(isRecord || unwanted !== undefined)) {
      if (!this.isPlan) this.activities.other(message)
      this.sleep.other(message)
      return undefined
    }
    this.importing.records++
    if (unwanted !== undefined) return unwanted
    if (number === MONITORING) return this.monitored(message)
    if (isMeasure(number)) return this.measured(message)
    if (isSleepRecord(number)) return this.sleep.add(message)
    if (this.isPlan) return 'a record belongs to a course, which is a plan'
    return number === LENGTH ? this.activities.length(message) : this.activities.record(message)
  }

  private monitored(message: FitMessage): string | undefined {
    const { heart, problem } = this.monitoring.add(message, this.clock.offset)
    if (heart === undefined) return problem
    return this.sampleAt('a monitoring message', { resource: 'heartrate', value: heart.bpm }, heart.time)
  }

  private measured(message: FitMessage): string | undefined {
    const { what, time, readings } = readMeasures(message)
    if (readings.length === 0) return `${what} says that nothing could be measured`
    if (time === undefined) return `${what} has no time`
    for (const reading of readings) {
      const problem = this.sampleAt(what, reading, time)
      if (problem !== undefined) return problem
    }
    return undefined
  }

  private sampleAt(what: string, reading: FitReading, seconds: number): string | undefined {
    const ms = this.clock.toInstant(seconds)
    const problem = ms === undefined ? NO_DATE : this.problemAt(ms)
    if (ms === undefined || problem !== undefined) return `${what} ${problem}`
    this.add(reading, ms, ms)
    return undefined
  }

  private add({ resource, value, second, text }: FitReading, start: EpochMs, end: EpochMs): void {
    const sample = { resource, start, end, value, offset: this.clock.offset, text }
    this.importing.add(second === undefined ? sample : { ...sample, second }, 'a count')
  }

  private problemAt(ms: EpochMs): string | undefined {
    return this.importing.timesProblem(ms, ms)
  }
}
