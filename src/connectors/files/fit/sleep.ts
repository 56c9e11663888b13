/** Reads a watch's nights from a FIT file: the levels of sleep, the events between which the watch saw it, and its score. */
import { NO_OFFSET } from '../../../core/sample.ts'
import { type EpochMs, SECOND_MS } from '../../../core/time.ts'
import { HeartValues } from '../../shared/heart-values.ts'
import type { RecordImport } from '../records/import.ts'
import { buildSession, type SleepSegment, type SleepStage } from '../sleep/sessions.ts'
import { addSleep } from '../sleep/summaries.ts'
import { type FitClock, NO_DATE } from './clock.ts'
import { SLEEP_ASSESSMENT, SLEEP_LEVEL, TIMER_EVENT } from './kinds.ts'
import type { FitMessage } from './message.ts'

/** Stages by level; null if the watch could not measure. */
const STAGES: ReadonlyMap<number, SleepStage | null> = new Map<number, SleepStage | null>([
  [0, null],
  [1, 4],
  [2, 2],
  [3, 1],
  [4, 3],
])
const SLEEP_EVENT = 74
const START = 0
const STOP = 1
/** Maximum difference between the event at the end of the sleep and the last level, because they are rarely in the same second. */
const TOLERANCE_SECONDS = 60
/** Maximum number of levels, enough for two months with one a minute, and of events. A hostile file must not exhaust memory. */
const MOST_LEVELS = 100_000
const MOST_EVENTS = 1000

const JOINED = 'sleep levels joined into the sleep that is stored'
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
  private readonly assessments: { readonly score: number | undefined; readonly byte: number }[] = []
  private readonly importing: RecordImport

  constructor(importing: RecordImport) {
    this.importing = importing
  }

  /** Adds a record of sleep. Returns the reason if it cannot be kept, otherwise undefined. */
  add(message: FitMessage): string | undefined {
    if (message.number === SLEEP_ASSESSMENT) {
      if (this.assessments.length >= MOST_EVENTS) return `sleep assessments after the first ${MOST_EVENTS}`
      this.assessments.push({ score: message.get(6), byte: message.at })
      return undefined
    }
    const stage = STAGES.get(message.get(0) ?? -1)
    if (stage === undefined) return 'a sleep level has an unknown level'
    if (message.timestamp === undefined) return 'a sleep level has no time'
    if (this.levels.length >= MOST_LEVELS) return `sleep levels after the first ${MOST_LEVELS}`
    this.levels.push({ time: message.timestamp, stage, byte: message.at })
    return undefined
  }

  /** Reads the event at which sleep starts or ends. All other messages are ignored. */
  other(message: FitMessage): void {
    const { number, timestamp: time } = message
    const type = message.get(1)
    if (number !== TIMER_EVENT || message.get(0) !== SLEEP_EVENT || time === undefined) return
    if ((type === START || type === STOP) && this.events.length < MOST_EVENTS) {
      this.events.push({ time, isStart: type === START })
    }
  }

  /** Adds the nights. Call this once at the end of the file. */
  finish(clock: FitClock): void {
    const nights = this.nights()
    let stored = 0
    const [assessment, ...more] = this.assessments
    const score = more.length === 0 && nights.length === 1 ? assessment?.score : undefined
    for (const night of nights) {
      const problem = this.addNight(night, clock, score)
      if (problem === undefined) stored++
      for (const { byte } of night.levels.slice(problem === undefined ? 1 : 0)) this.skip(problem ?? JOINED, byte)
    }
    const isJoined = stored === 1 && score !== undefined
    const reason = isJoined
      ? 'sleep assessments joined into the sleep that is stored'
      : 'sleep assessments without one night'
    for (const { byte } of this.assessments) this.skip(reason, byte)
  }

  /** Returns the nights that have levels, and counts the levels that belong to none. */
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
    return nights.filter(({ levels }) => levels.length > 0)
  }

  /** Adds a night's summaries. Returns the reason if it cannot be kept. */
  private addNight(night: Night, clock: FitClock, score: number | undefined): string | undefined {
    const [start, end] = [clock.toInstant(night.start), clock.toInstant(night.end)]
    if (start === undefined || end === undefined) return `a sleep level ${NO_DATE}`
    const problem = this.importing.timesProblem(start, end)
    if (problem !== undefined) return `a sleep level ${problem}`
    const spans = levelSpans(night)
    if (spans === undefined) return UNCLEAR
    if (!spans.some(({ stage }) => stage !== null && stage !== 4)) return NO_SLEEP
    const endOffset = clock.offset ?? NO_OFFSET
    const toMs = (seconds: number): EpochMs => start + (seconds - night.start) * SECOND_MS
    const segments = spans.map(({ from, to, stage, byte }): SleepSegment => {
      return { start: toMs(from), end: toMs(to), stage, endOffset, byte }
    })
    const whole: SleepSegment = { start, end, stage: null, endOffset, byte: night.levels[0]?.byte ?? 0 }
    const session = buildSession(this.importing.chooseSourceType(), [whole, ...segments])
    const isScore = score !== undefined && score >= 1 && score <= 100
    addSleep(this.importing, session, new HeartValues(), {
      zone: this.importing.context.timeZone,
      stated: { score: isScore ? score : null },
    })
    return undefined
  }

  private skip(reason: string, byte: number): void {
    this.importing.skip(reason, `byte ${byte}`)
  }
}

/** A level from one time to another, in device seconds. */
interface LevelSpan extends Omit<Level, 'time'> {
  readonly from: number
  readonly to: number
}

/**
 * Returns the spans of a night's levels, or undefined if the file does not show them. Watches write a level at its end: the first one after
 * the night has started, and the last one when it ends. Programs write it at its start, the first one when the night starts.
 */
function levelSpans({ start, end, levels }: Night): readonly LevelSpan[] | undefined {
  const [first, last] = [levels[0]?.time ?? start, levels.at(-1)?.time ?? end]
  const isAtEnd = first > start && last >= end - TOLERANCE_SECONDS
  if (!isAtEnd && first > start + TOLERANCE_SECONDS) return undefined
  return levels
    .map(({ time, ...level }, i) =>
      isAtEnd
        ? { ...level, from: levels[i - 1]?.time ?? start, to: Math.min(time, end) }
        : { ...level, from: time, to: levels[i + 1]?.time ?? end },
    )
    .filter(({ from, to }) => to > from)
}
