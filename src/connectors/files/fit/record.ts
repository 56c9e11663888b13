/** Reads a record message of a FIT activity as a point, from plain fields, newer fields with a higher resolution, and packed fields. */
import type { PointValues } from '../../shared/points.ts'
import type { FitDeveloperFields } from './developer.ts'
import type { FitMessage } from './message.ts'

const SEMICIRCLES = 2 ** 31
const DISTANCE_STEPS = 4096
/** Positions are rounded to about a centimetre. */
const DEGREE_PRECISION = 1e7

/** Reads a file's records in order, because a packed distance continues from the previous one. */
export class FitRecords {
  private readonly developer: FitDeveloperFields
  private traveled = 0
  private lastPacked = 0

  constructor(developer: FitDeveloperFields) {
    this.developer = developer
  }

  /** Returns a point's values. Cadence is in revolutions, even for running. */
  readPoint(message: FitMessage): PointValues {
    const value = (field: number, scale = 1): number | undefined => {
      const raw = message.get(field)
      return raw === undefined ? this.developer.valueFor(message, field) : raw / scale
    }
    const packed = this.speedAndDistance(message)
    const heartrate = value(3)
    const [lat, lng] = [message.get(0), message.get(1)]
    const isPosition = lat !== undefined && lng !== undefined && Math.abs(lat) <= SEMICIRCLES / 2
    return {
      lat: isPosition ? degrees(lat) : undefined,
      lng: isPosition ? degrees(lng) : undefined,
      altitude: convertAltitude(message.get(78) ?? message.get(2)) ?? value(78) ?? value(2),
      heartrate: heartrate !== undefined && heartrate > 0 ? heartrate : undefined,
      cadence: value(52, 256) ?? sum(value(4), message.get(53)),
      distance: value(5, 100) ?? packed?.distance,
      velocity_smooth: value(73, 1000) ?? value(6, 1000) ?? packed?.speed,
      power: value(7),
      resistance: value(10),
      temperature: value(13),
      respiratory_rate: value(108, 100) ?? value(99),
    }
  }

  /** Unpacks twelve bits of speed (cm/s) and twelve bits of distance (1/16 m). The distance wraps around after 256 m. */
  private speedAndDistance(message: FitMessage): { readonly speed: number; readonly distance: number } | undefined {
    const bytes = message.bytes(8)
    if (bytes?.length !== 3 || bytes.every(byte => byte === 0xff)) return undefined
    const [low = 0, middle = 0, high = 0] = bytes
    const packed = (middle >> 4) | (high << 4)
    this.traveled += (packed - this.lastPacked + DISTANCE_STEPS) % DISTANCE_STEPS
    this.lastPacked = packed
    return { speed: (low | ((middle & 0x0f) << 8)) / 100, distance: this.traveled / 16 }
  }
}

/** Converts an altitude from the profile's encoding: fifths of a metre, offset by 500 m. */
export function convertAltitude(raw: number | undefined): number | undefined {
  return raw === undefined ? undefined : (raw - 2500) / 5
}

function degrees(semicircles: number): number {
  return Math.round((semicircles / SEMICIRCLES) * 180 * DEGREE_PRECISION) / DEGREE_PRECISION
}

/** Adds whole revolutions and their fraction in 128ths. */
function sum(revolutions: number | undefined, fraction: number | undefined): number | undefined {
  return revolutions === undefined ? undefined : revolutions + (fraction ?? 0) / 128
}
