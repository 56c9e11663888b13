/** Reads a watch's nights from a FIT file: the levels of sleep, the events between which the watch saw it, and its score. */
import { NO_OFFSET } from '../../../core/sample.ts'
import { SECOND_MS } from '../../../core/time.ts'
import { HeartValues } from '../../shared/heart-values.ts'
import type { RecordImport } from '../records/import.ts'
import { buildSession, type SleepSegment, type SleepStage } from '../sleep/sessions.ts'
import { addSleep } from '../sleep/summaries.ts'
import { type FitClock, NO_DATE } from './clock.ts'
import { SLEEP_ASSESSMENT, SLEEP_LEVEL, TIMER_EVENT } from './kinds.ts'
import type { FitMessage } from './message.ts'

/** Stages by level; null if the watch could not measure. */
const STAGES: readonly (SleepStage | null)[] = [null, 4, 2, 1, 3]
const SLEEP_EVENT = 74
const START = 0
const STOP = 1
/** Maximum difference between the event at the end of the sleep and the last level, because they are rarely in the same second. */
const TOLERANCE_SECONDS = 60
/** Maximum number of levels, enough for two months with one a minute, and of other messages. A hostile file must not exhaust memory. */
const MOST_LEVELS = 100_000
const MOST_OTHERS = 1000

const NO_NIGHT = 'sleep levels outside the events at which sleep starts and ends'
const UNCLEAR = 'sleep levels of which the file does not show whether their time is their start or their end'
const NO_SLEEP = 'sleep levels of a time without any sleep'

/** A level, with its time in device seconds. */
interface Level {
  readonly time: number
  readonly stage: SleepStage | null
  readonly byte: number
}

interface Night {
  readonly start: number
  readonly end: number
  readonly levels: Level[]
}

/** Returns whether messages with this number are records of sleep. */
export function isSleepRecord(number: number): boolean {
  return number === SLEEP_LEVEL || number === SLEEP_ASSESSMENT
}

/** Collects a file's messages until `finish` adds the nights. */
export class FitSleep {
  private readonly levels: Level[] = []
  private readonly events: { readonly time: number; readonly isStart: boolean }[] = []
  private readonly scores: { readonly score: number | undefined; readonly byte: number }[] = []
  private readonly importing: RecordImport

  constructor(importing: RecordImport) {
    this.importing = importing
  }

  /** Adds a record of sleep. Returns the reason if it cannot be kept, otherwise undefined. */
  add(message: FitMessage): string | undefined {
    const { timestamp: time, at: byte } = message
    if (message.number === SLEEP_ASSESSMENT) {
      if (this.scores.length === MOST_OTHERS) return `sleep assessments after the first ${MOST_OTHERS}`
      this.scores.push({ score: message.get(6), byte })
      return undefined
    }
    const stage = STAGES[message.get(0) ?? -1]
    if (stage === undefined) return 'a sleep level has an unknown level'
    if (time === undefined) return 'a sleep level has no time'
    if (this.levels.length === MOST_LEVELS) return `sleep levels after the first ${MOST_LEVELS}`
    this.levels.push({ time, stage, byte })
    return undefined
  }

  /** Reads the event at which sleep starts or ends. All other messages are ignored. */
  other(message: FitMessage): void {
    const { number, timestamp: time } = message
    const type = message.get(1)
    if (number !== TIMER_EVENT || message.get(0) !== SLEEP_EVENT || time === undefined) return
    if ((type !== START && type !== STOP) || this.events.length === MOST_OTHERS) return
    this.events.push({ time, isStart: type === START })
  }

  /** Adds the nights. Call this once at the end of the file. */
  finish(clock: FitClock): void {
    const nights = this.nights().filter(({ levels }) => levels.length > 0)
    const [assessment] = this.scores
    const score = nights.length === 1 && this.scores.length === 1 ? assessment?.score : undefined
    for (const night of nights) {
      const problem = this.addNight(night, clock, score)
      const reason = problem ?? 'sleep levels joined into the sleep that is stored'
      for (const { byte } of problem === undefined ? night.levels.slice(1) : night.levels) this.skip(reason, byte)
    }
    const reason = 'sleep assessments, of which the score is part of the sleep if a file has one night'
    for (const { byte } of this.scores) this.skip(reason, byte)
  }

  /** Returns the nights between events, and counts the levels that belong to none. */
  private nights(): readonly Night[] {
    const nights: Night[] = []
    let start: number | undefined
    for (const { time, isStart } of this.events.sort((a, b) => a.time - b.time)) {
      if (!isStart && start !== undefined) nights.push({ start, end: time, levels: [] })
      start = isStart ? time : undefined
    }
    let at = 0
    for (const level of this.levels.sort((a, b) => a.time - b.time)) {
      while ((nights[at + 1]?.start ?? Number.POSITIVE_INFINITY) < level.time) at++
      const night = nights[at]
      const isWithin = night !== undefined && level.time >= night.start && level.time <= night.end + TOLERANCE_SECONDS
      if (isWithin) night.levels.push(level)
      else this.skip(NO_NIGHT, level.byte)
    }
    return nights
  }

  /** Adds a night's summaries. Returns the reason if it cannot be kept. */
  private addNight(night: Night, clock: FitClock, score: number | undefined): string | undefined {
    const [start, end] = [clock.toInstant(night.start), clock.toInstant(night.end)]
    const problem = start === undefined ? NO_DATE : this.importing.timesProblem(start, end ?? start)
    if (start === undefined || end === undefined || problem !== undefined) return `a sleep level ${problem}`
    const endOffset = clock.offset ?? NO_OFFSET
    const segments = levelSpans(night)?.map((span): SleepSegment => {
      const [from, to] = [span.start, span.end].map(each => start + (each - night.start) * SECOND_MS)
      return { ...span, start: from ?? start, end: to ?? end, endOffset }
    })
    if (segments === undefined) return UNCLEAR
    if (!segments.some(({ stage }) => stage !== null && stage !== 4)) return NO_SLEEP
    const whole = { start, end, stage: null, endOffset, byte: 0 }
    const session = buildSession(this.importing.chooseSourceType(), [whole, ...segments])
    const stated = { score: score !== undefined && score >= 1 && score <= 100 ? score : null }
    addSleep(this.importing, session, new HeartValues(), { zone: this.importing.context.timeZone, stated })
    return undefined
  }

  private skip(reason: string, byte: number): void {
    this.importing.skip(reason, `byte ${byte}`)
  }
}

/**
 * Returns the spans of a night's levels in device seconds, or undefined if the file does not show them. Watches write a level at its end:
 * the first one after the night has started, and the last one when it ends. Programs write it at its start, the first one when the night
 * starts.
 */
function levelSpans({ start, end, levels }: Night): readonly Omit<SleepSegment, 'endOffset'>[] | undefined {
  const [first, last] = [levels[0]?.time ?? start, levels.at(-1)?.time ?? end]
  const isAtEnd = first > start && last >= end - TOLERANCE_SECONDS
  if (!isAtEnd && first > start + TOLERANCE_SECONDS) return undefined
  const spans = levels.map(({ time, ...level }, i) =>
    isAtEnd
      ? { ...level, start: levels[i - 1]?.time ?? start, end: Math.min(time, end) }
      : { ...level, start: time, end: levels[i + 1]?.time ?? end },
  )
  return spans.filter(each => each.end > each.start)
}
