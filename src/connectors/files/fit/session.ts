/** Reads a FIT file's data about a whole workout: the session message, and the time in zones, which newer devices store separately. */

import type { Sport } from '../../../catalogue/sports.ts'
import { isOnFoot } from '../../shared/sports.ts'
import type { StatedTotals } from '../../shared/totals.ts'
import type { FitMessage } from './message.ts'
import { convertAltitude } from './record.ts'
import { fitSport } from './sports.ts'

const MILLI = 1000
const CENTI = 100

export interface FitSession {
  readonly sport: Sport
  readonly title: string | null
  /** In device seconds. */
  readonly start: number
  readonly end: number
  readonly stated: StatedTotals
}

/** Returns the session in a message, or undefined if it has neither a start nor a time. */
export function fitSession(message: FitMessage): FitSession | undefined {
  const elapsed = scaled(message, 7, MILLI) ?? scaled(message, 8, MILLI) ?? 0
  const start = message.get(2) ?? (message.timestamp === undefined ? undefined : message.timestamp - elapsed)
  if (start === undefined) return undefined
  const sport = fitSport(message.get(5), message.get(6))
  const strides = isOnFoot(sport) ? message.get(10) : undefined
  return {
    sport,
    title: message.text(110) ?? null,
    start,
    end: start + elapsed,
    stated: {
      moving_time: scaled(message, 59, MILLI) ?? scaled(message, 8, MILLI),
      distance: scaled(message, 9, CENTI),
      calories: message.get(11),
      average_speed: scaled(message, 124, MILLI) ?? scaled(message, 14, MILLI),
      max_speed: scaled(message, 125, MILLI) ?? scaled(message, 15, MILLI),
      average_hr: message.get(16) || undefined,
      max_hr: message.get(17) || undefined,
      average_watts: message.get(20),
      max_watts: message.get(21),
      total_elevation_gain: message.get(22),
      weighted_average_watts: message.get(34),
      elev_high: convertAltitude(message.get(128) ?? message.get(50)),
      elev_low: convertAltitude(message.get(127) ?? message.get(71)),
      hr_zones: sixZones(message.list(65)),
      steps: strides === undefined ? undefined : strides * 2,
    },
  }
}

/**
 * Converts a list of times in zones, in milliseconds, to seconds in six zones. The first zone is below the first limit; everything above
 * the last limit is added to the sixth.
 */
export function sixZones(list: readonly (number | undefined)[]): readonly number[] | undefined {
  const seconds = list.flatMap(each => (each === undefined ? [] : [Math.round(each / MILLI)]))
  if (seconds.length < 6) return undefined
  const over = seconds.slice(5).reduce((sum, each) => sum + each, 0)
  return [...seconds.slice(0, 5), over]
}

function scaled(message: FitMessage, field: number, scale: number): number | undefined {
  const raw = message.get(field)
  return raw === undefined ? undefined : raw / scale
}
