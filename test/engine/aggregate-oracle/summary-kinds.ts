/** Generated workouts, body measurements, meals, cycles and profiles. */
import fc from 'fast-check'
import type { PlainSource } from './arbitraries/pools.ts'
import { dateAfter, type Frame, framed, summary } from './arbitraries/summary-arbitrary.ts'
import { DAY, printTime } from './calendar.ts'
import type { PlainSummary } from './data.ts'

const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 5 })
const number = (min: number, max: number) => nullable(fc.integer({ min: min * 10, max: max * 10 }).map(n => n / 10))
const whole = (min: number, max: number) => nullable(fc.integer({ min, max }))
const word = (...texts: readonly string[]) => nullable(fc.constantFrom(...texts))

const workout = fc.record({
  minutes: fc.constantFrom(10, 40, 45, 90),
  /** Seconds. */
  late: fc.constantFrom(0, 0, 100, 700),
  title: word('Morning run', "it's"),
  sport: nullable(
    fc.constantFrom(
      { id: 1, name: 'Running', slug: 'running' },
      { id: 2, name: 'Trail running', slug: 'trail_running' },
      { id: 3, name: 'Yoga', slug: 'yoga' },
    ),
  ),
  average_hr: number(90, 170),
  max_hr: whole(120, 200),
  distance: number(0, 20_000),
  calories: number(0, 900),
  hr_zones: nullable(fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 6, maxLength: 6 })),
  moving_time: whole(0, 6000),
  total_elevation_gain: number(0, 900),
  elev_high: number(0, 900),
  elev_low: number(-20, 100),
  average_speed: number(1, 9),
  max_speed: number(2, 15),
  average_watts: number(90, 300),
  device_watts: nullable(fc.constant(222)),
  max_watts: number(200, 900),
  weighted_average_watts: number(90, 300),
  steps: whole(0, 20_000),
  map: nullable(fc.record({ polyline: word('abc'), summary_polyline: word('ab') })),
})

const body = fc.record({
  weight: number(50, 100),
  fat: number(5, 40),
  water_percentage: number(40, 70),
  muscle_mass_percentage: number(30, 60),
  visceral_fat_index: number(1, 20),
  bone_mass_percentage: number(2, 6),
  body_mass_index: number(18, 35),
  lean_body_mass_kilogram: number(40, 80),
  waist_circumference_centimeter: number(60, 120),
})

const meal = fc.record({
  name: fc.constantFrom('Breakfast', 'lunch', 'Znüni'),
  energy: nullable(fc.record({ unit: fc.constant('kcal'), value: fc.integer({ min: 10, max: 900 }) })),
  macros: nullable(
    fc.record({
      carbs: number(0, 100),
      protein: number(0, 60),
      fats: nullable(fc.record({ saturated: number(0, 20), total: number(0, 50), omega3: number(0, 3) })),
      alcohol: number(0, 20),
      water: number(0, 500),
      fibre: number(0, 20),
      sugar: number(0, 60),
      cholesterol: number(0, 1),
    }),
  ),
  micros: nullable(
    fc.record({
      minerals: nullable(fc.record({ sodium: number(0, 900), iron: number(0, 20) })),
      trace_elements: nullable(fc.record({ zinc: number(0, 20), selenium: number(0, 90) })),
      vitamins: nullable(fc.record({ vitamin_c: number(0, 200), vitamin_d: number(0, 50), biotin: number(0, 50) })),
    }),
  ),
})

const entries = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.option(fc.array(fc.record({ after: fc.integer({ min: 0, max: 9 }), ...fields }), { maxLength: 4 }), { freq: 5 })
const result = word('negative', 'positive', 'indeterminate')

const cycle = fc.record({
  bleeding: whole(2, 7),
  length: whole(20, 40),
  is_predicted: nullable(fc.boolean()),
  lists: fc.record({
    menstrual_flow: entries({ flow: fc.constantFrom('none', 'light', 'medium', 'heavy') }),
    cervical_mucus: entries({ quality: fc.constantFrom('dry', 'sticky') }),
    intermenstrual_bleeding: entries({}),
    contraceptive: entries({ type: fc.constantFrom('oral', 'iud') }),
    detected_deviations: entries({ deviation: fc.constant('irregular_menstrual_cycles') }),
    ovulation_test: entries({ test_result: result }),
    home_pregnancy_test: entries({ test_result: result }),
    home_progesterone_test: entries({ test_result: result }),
    sexual_activity: entries({ protection_used: nullable(fc.boolean()) }),
    basal_body_temperature: entries({ value: fc.integer({ min: 3600, max: 3720 }).map(n => n / 100) }),
  }),
})

const profile = fc.record({
  height: number(150, 200),
  birth_date: word('1990-02-28', '2004-02-29'),
  wheelchair_use: nullable(fc.boolean()),
  gender: word('female', 'male', 'other'),
  sex: word('female', 'male'),
})

const slotAt = (base: number, { day, slot }: Pick<Frame, 'day' | 'slot'>): number => base + day * DAY + slot * 1_800_000

export function workouts(
  base: number,
  sources: readonly PlainSource[],
  maxLength: number,
  spread?: number,
): fc.Arbitrary<readonly PlainSummary[]> {
  return framed(sources, workout, maxLength, spread).map(list =>
    list.map(([each, { minutes, late, ...document }]) => {
      const local = slotAt(base, each) + late * 1000
      const instant = local - (each.offsetSec ?? 0) * 1000
      return summary('workouts', each, local, [instant], {
        ...document,
        time_start: `${printTime(instant)}+00:00`,
        time_end: `${printTime(instant + minutes * 60_000)}+00:00`,
        timezone_offset: each.offsetSec,
        provider_id: `w${each.slot}`,
      })
    }),
  )
}

/** Summaries of all kinds except nights and days. */
export function otherSummaries(base: number, sources: readonly PlainSource[]): fc.Arbitrary<readonly PlainSummary[]> {
  const at = (day: number, slot: number) => slotAt(base, { day, slot })
  return fc
    .tuple(
      workouts(base, sources, 12),
      framed(sources, body, 20).map(list =>
        list.map(([each, document]) => summary('body', each, at(each.day, each.slot), [each.day, each.slot], document)),
      ),
      framed(sources, meal, 20).map(list =>
        list.map(([each, document]) => {
          const local = at(each.day, each.slot)
          const timestamp = `${printTime(local - (each.offsetSec ?? 0) * 1000)}+00:00`
          return summary('meal', each, local, [each.day, each.slot], { ...document, timestamp, data: null })
        }),
      ),
      framed(sources, cycle, 8).map(list =>
        list.map(([each, { bleeding, length, is_predicted, lists }]) => {
          const local = at(each.day, 0)
          const dated = Object.fromEntries(
            Object.entries(lists).map(([name, list]) => [
              name,
              list === null
                ? null
                : list.map(({ after, ...own }) => ({ date: dateAfter(local, after as number), ...own })),
            ]),
          )
          const record = summary('menstrual_cycle', each, local, [each.day], {
            period_start: dateAfter(local, 0),
            period_end: dateAfter(local, bleeding),
            cycle_end: dateAfter(local, length),
            is_predicted,
            ...dated,
          })
          return { ...record, atMs: local }
        }),
      ),
      framed(sources, profile, 3).map(list =>
        list.map(([each, document]) => summary('profile', each, at(each.day, each.slot), [], document)),
      ),
    )
    .map(lists => lists.flat())
}
