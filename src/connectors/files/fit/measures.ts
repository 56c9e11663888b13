/** FIT messages with single readings, and the fields to read from them. */
import { NIGHT_TYPE } from '../../../catalogue/kinds.ts'
import type { TextColumn } from '../../../core/sample.ts'
import type { FitMessage } from './message.ts'

type Text = Readonly<Partial<Record<TextColumn, string>>> | undefined

interface Reading {
  readonly resource: string
  readonly field: number
  readonly scale: number
  readonly least: number
  readonly most: number
  /** The field with the second value (diastolic). */
  readonly second?: number
  readonly text?: Text
}

interface Measure {
  /** Name used in a reason. */
  readonly what: string
  /** The field with the time, if it differs from the message's time. */
  readonly time?: number
  readonly readings: readonly Reading[]
}

const reading = (resource: string, field: number, scale: number, least: number, most: number): Reading => ({
  resource,
  field,
  scale,
  least,
  most,
})

const MEASURES: ReadonlyMap<number, Measure> = new Map([
  // higher values mean that the scale is still calculating
  [
    30,
    {
      what: 'a weighing',
      readings: [
        reading('body_weight', 0, 100, 0.01, 655.33),
        reading('body_fat', 1, 100, 0.01, 100),
        reading('body_mass_index', 13, 10, 0.1, 1000),
      ],
    },
  ],
  [
    51,
    {
      what: 'a blood pressure reading',
      readings: [{ ...reading('blood_pressure', 0, 1, 1, 1000), second: 1 }, reading('heartrate', 6, 1, 1, 254)],
    },
  ],
  // negative values: too much movement, or the watch is not worn
  [227, { what: 'a stress level', time: 1, readings: [reading('stress_level', 0, 1, 0, 100)] }],
  [229, { what: 'a VO2 max reading', time: 0, readings: [reading('vo2_max', 2, 10, 0.1, 1000)] }],
  [269, { what: 'a blood oxygen reading', readings: [reading('blood_oxygen', 0, 1, 1, 100)] }],
  [297, { what: 'a respiration rate', readings: [reading('respiratory_rate', 0, 100, 0.01, 300)] }],
  // the mean of the night; the other fields are a week's mean, a maximum and limits
  [
    370,
    {
      what: 'a heart rate variability status',
      readings: [{ ...reading('hrv', 1, 128, 0.001, 1000), text: { type: NIGHT_TYPE } }],
    },
  ],
  [371, { what: 'a heart rate variability reading', readings: [reading('hrv', 0, 128, 0.001, 1000)] }],
])

/** What messages with single readings contain. */
export const MEASURED: readonly Pick<Reading, 'resource' | 'text'>[] = [...MEASURES.values()].flatMap(
  ({ readings }) => readings,
)

/** A reading, without its time. */
export interface FitReading {
  readonly resource: string
  readonly value: number
  readonly second?: number | undefined
  readonly text?: Text
}

/** Returns whether messages with this number contain readings. */
export function isMeasure(number: number): boolean {
  return MEASURES.has(number)
}

/** Returns a message's readings and their time in device seconds. `what` is the message's name in a reason. */
export function readMeasures(message: FitMessage): {
  readonly what: string
  readonly time: number | undefined
  readonly readings: readonly FitReading[]
} {
  const measure = MEASURES.get(message.number) as Measure
  const readings = measure.readings.flatMap(({ resource, field, scale, least, most, second, text }): FitReading[] => {
    const value = (message.get(field) ?? Number.NaN) / scale
    if (!(value >= least && value <= most)) return []
    const other = second === undefined ? undefined : message.get(second)
    return second !== undefined && other === undefined ? [] : [{ resource, value, second: other, text }]
  })
  const time = measure.time === undefined ? message.timestamp : (message.get(measure.time) ?? message.timestamp)
  return { what: measure.what, time, readings }
}
