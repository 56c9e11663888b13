/** Reads a FIT file's monitoring messages, which contain a watch's counts and measurements throughout the day. */

import { type CounterSpan, FitCounters } from './counters.ts'
import { MONITORING_INFO } from './kinds.ts'
import type { FitMessage } from './message.ts'

const CYCLING = 2
const SWIMMING = 5
/** Activity type for counts that cover all types. */
const ANY = 255
const SHORT = 0x1_0000
/** Maximum distance to an older 16-bit time. A time that is further back has wrapped around. */
const MOST_BACK_SECONDS = 3600

export interface HeartReading {
  readonly time: number
  readonly bpm: number
}

/** Resources that monitoring messages count. */
export const COUNTED = ['steps', 'distance', 'calories_active'] as const

export interface Monitored {
  readonly heart: HeartReading | undefined
  /** The reason why nothing from the message is kept; otherwise undefined. */
  readonly problem: string | undefined
}

/** Handles the monitoring messages in file order, because 16-bit times continue from the previous time. */
export class FitMonitoring {
  private readonly counters = new FitCounters()
  private lastTime: number | undefined
  private fileStart: number | undefined

  /** Records a message's time. Call this for every message with a full time, because 16-bit times refer to it. */
  sees(message: FitMessage): void {
    if (message.timestamp === undefined) return
    this.lastTime = message.timestamp
    if (message.number === MONITORING_INFO) this.fileStart ??= message.timestamp
  }

  add(message: FitMessage, offset: number | null): Monitored {
    const time = this.messageTime(message)
    if (time === undefined) return { heart: undefined, problem: 'a monitoring message has no time' }
    this.fileStart ??= time
    const bpm = message.get(27)
    const heart = bpm === undefined || bpm === 0 ? undefined : { time, bpm }
    const counts = readCounts(message)
    const known = { offset, fileStart: this.fileStart, isShort: message.get(9) !== undefined }
    const activityType = readActivityType(message)
    let isKept = heart !== undefined
    for (const { resource, value } of counts) {
      if (this.counters.add(resource, activityType, time, value, known)) isKept = true
    }
    if (isKept) return { heart, problem: undefined }
    if (counts.length > 0) return { heart, problem: 'a monitoring message only sets the starting point of a counter' }
    return { heart, problem: 'a monitoring message contains nothing that is imported' }
  }

  /** See `FitCounters.take`. */
  take(isEnd: boolean): Generator<CounterSpan> {
    return this.counters.take(isEnd)
  }

  private messageTime(message: FitMessage): number | undefined {
    const short = message.get(26)
    if (message.timestamp !== undefined) return message.timestamp
    if (short === undefined || this.lastTime === undefined) return undefined
    const forward = (short - (this.lastTime % SHORT) + SHORT) % SHORT
    this.lastTime += forward > SHORT - MOST_BACK_SECONDS ? forward - SHORT : forward
    return this.lastTime
  }
}

function readActivityType(message: FitMessage): number {
  const packed = message.get(24)
  return message.get(5) ?? (packed === undefined ? ANY : packed & 0x1f)
}

/**
 * Returns the counts in the message. The file contains twice the number of cycles, which is the number of steps. Swimming strokes and pedal
 * revolutions are not steps.
 */
function readCounts(message: FitMessage): { readonly resource: string; readonly value: number }[] {
  const type = readActivityType(message)
  const steps = type === CYCLING || type === SWIMMING ? undefined : (message.get(3) ?? message.get(9))
  const centimetres = message.get(2) ?? message.get(8)
  const found = {
    steps,
    distance: centimetres === undefined ? undefined : centimetres / 100,
    calories_active: message.get(19),
  }
  return COUNTED.flatMap(resource => {
    const value = found[resource]
    return value === undefined ? [] : [{ resource, value }]
  })
}
