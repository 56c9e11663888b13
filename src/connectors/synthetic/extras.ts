/** Simulates data that only some providers supply: drinks, stress, temperature, mindfulness, notes. See docs/synthetic-data.md. */
import { Stream } from '../../core/random.ts'
import type { SampleInput } from '../../core/sample.ts'
import { formatDate, HOUR_MS, MINUTE_MS } from '../../core/time.ts'
import { clamp, nextMultiple, noise, rounded } from './calendar.ts'
import type { LocalDay } from './movement.ts'
import { isWithin } from './night.ts'
import type { Wearer } from './traits.ts'

/** A sample and its resource, which is a key of `supportedResources`. */
export type Extra = readonly [resource: string, sample: SampleInput]

const QUARTER_MS = 15 * MINUTE_MS
const NOTES = [
  ['Ate out', '["food"]'],
  ['Long walk after dinner', '["exercise"]'],
  ['Felt tired', '["unspecified"]'],
] as const

/** What samples of temperatures show. */
export const SENSOR = { sensor_location: 'finger' } as const

/** All resources that `simulateExtras` can return. */
export const EXTRA_RESOURCES: readonly string[] = [
  'body_temperature_delta',
  'body_temperature',
  'water',
  'caffeine',
  'mindfulness_minutes',
  'vo2_max',
  'note',
  'stress_level',
]

/**
 * Returns one day's extras, in ascending order of start for each resource. Every resource has its own random stream, so that adding one
 * does not change the others.
 */
export function simulateExtras(wearer: Wearer, day: LocalDay): Extra[] {
  const { seed, userId, provider, traits, calendar } = wearer
  const { dateMs, wakeMinute, meals } = day.plan
  const chanceOf = (what: string): Stream => new Stream(seed, userId, provider, what, formatDate(dateMs))
  const at = (minute: number): number => calendar.instantAt(dateMs, minute)
  const [night] = day.nights
  const extras: Extra[] = [
    ['body_temperature_delta', { start: night.end, value: night.temperatureDelta, text: SENSOR }],
    ['body_temperature', { start: night.end, value: rounded(36.4 + night.temperatureDelta, 2), text: SENSOR }],
  ]
  const drinks = chanceOf('water')
  for (let minute = wakeMinute + 20; minute < 22 * 60; minute += drinks.whole(90, 160)) {
    extras.push(['water', { start: at(minute), value: drinks.whole(3, 8) * 50 }])
  }
  const coffee = chanceOf('caffeine')
  for (const meal of meals.slice(0, coffee.whole(1, 2))) {
    extras.push(['caffeine', { start: at(meal.minute + 10), value: rounded(coffee.between(0.06, 0.13), 2) }])
  }
  const calm = chanceOf('mindfulness_minutes')
  const minutes = calm.whole(5, 20)
  if (calm.next() < 0.5) {
    const start = at(21 * 60 + calm.whole(0, 30))
    extras.push(['mindfulness_minutes', { start, end: start + minutes * MINUTE_MS, value: minutes }])
  }
  const fitness = chanceOf('vo2_max')
  const uptake = clamp(60 - (traits.restingHr - 45) * 0.8 + noise(fitness, 0.4), 25, 65)
  extras.push(['vo2_max', { start: at(wakeMinute + 30), value: rounded(uptake, 1) }])
  const jotting = chanceOf('note')
  const [content, tags] = NOTES[jotting.whole(0, NOTES.length - 1)] as (typeof NOTES)[number]
  if (jotting.next() < 0.3) extras.push(['note', { start: at(21 * 60 + 5), value: 0, text: { content, tags } }])
  const strain = chanceOf('stress_level')
  let wander = 0
  for (let start = nextMultiple(day.start, QUARTER_MS); start < day.end; start += QUARTER_MS) {
    wander = 0.8 * wander + noise(strain, 7)
    if (day.nights.some(each => isWithin(each, start))) continue
    const busy = start >= day.start + 9 * HOUR_MS && start < day.start + 18 * HOUR_MS ? 12 : 0
    extras.push(['stress_level', { start, value: Math.round(clamp(28 + busy + wander, 1, 99)) }])
  }
  return extras
}
