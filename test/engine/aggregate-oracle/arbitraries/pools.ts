/** Small pools of values for generated data and queries, so that they often match. */
import fc from 'fast-check'
import { DAY, readDate } from '../calendar.ts'
import { RESOURCES, resourceNamed } from '../resources.ts'

/** Days with something special around them: year ends, leap days, clock changes, a day that Apia skipped, times before 2000. */
const BASES = [
  ...['2024-02-29', '2024-03-31', '2024-10-27', '2024-11-03', '2024-12-30', '2026-11-20', '2020-12-28', '2023-02-28'],
  ...['2000-01-01', '1999-12-31', '2011-12-30', '1970-01-01', '2100-02-28', '2012-07-15'],
]

export const base = fc.constantFrom(...BASES).map(text => readDate(text) as number)

export const zone = fc.constantFrom(
  ...[null, null, 'UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia', 'Asia/Kathmandu'],
  ...['America/St_Johns', 'Africa/Casablanca'],
)

/** Seconds east of UTC; null: the sample has no offset. */
export const offset = fc.constantFrom(
  ...[null, null, null, 0, 3600, 7200, -18_000, -28_800, 32_400, 20_700, 50_400, -12_600, -43_200],
)

export const PROVIDERS = ['oura', 'garmin', 'apple_health_kit', 'fitbit', 'withings']
export const SOURCE_TYPES = [
  ...['watch', 'ring', 'phone', 'app', 'scale', 'lab', 'unknown', 'manual_scan'],
  ...['insulin_pump', 'earphone', 'multiple_sources', 'automatic'],
]

export interface PlainSource {
  readonly provider: string
  readonly sourceType: string
}

export const source = fc.record({
  provider: fc.constantFrom(...PROVIDERS),
  sourceType: fc.constantFrom(...SOURCE_TYPES),
})

export const resources = fc.subarray(
  RESOURCES.map(each => each.name),
  { minLength: 1, maxLength: 3 },
)

/** Values of one kind of instrument: integers, tenths, any doubles, one repeated number, huge ones that cancel out. */
export const VALUES = {
  whole: fc.integer({ min: 30, max: 130 }),
  tenths: fc.integer({ min: -50, max: 1500 }).map(n => n / 10),
  // no instrument reads 1e-200, whose square is no double
  doubles: fc.double({ min: -200, max: 1000, noNaN: true }).map(x => (Math.abs(x) < 1e-6 ? 0 : x)),
  same: fc.constant(72.1),
  cancelling: fc.constantFrom(1e15, -1e15, 0.1, 0.2, -0.3, 1, -1e15 + 1, 3e-9),
} as const
export type ValueStyle = keyof typeof VALUES
export const valueStyle = fc.constantFrom(...(Object.keys(VALUES) as ValueStyle[]))
/** Numbers that queries compare with. */
export const anyNumber = fc.oneof(
  { weight: 4, arbitrary: VALUES.whole },
  { weight: 2, arbitrary: VALUES.tenths },
  fc.constantFrom(72.1, 0, 3600, 20_000, 1e15, 1e-3, 85.5),
)

const TEXTS: Readonly<Record<string, readonly string[]>> = {
  app_id: ['com.example.a', 'com.example.b'],
  device_id: ['d1'],
  workout_id: ['w1', 'w2'],
  sport: ['running', "farmer's walk", 'Läufe'],
  type: ['sdnn', 'rmssd', 'ldl'],
  intensity: ['low', 'medium', 'high'],
  sensor_location: ['wrist', 'mouth'],
  delivery_mode: ['basal', 'bolus'],
  delivery_form: ['standard', 'extended'],
  bolus_purpose: ['food'],
  content: ['slept well', "didn't", '', '\u{1f3c3}', '\uff5e'],
  tags: ['["tired"]', '["coffee","late","tired"]', '[]', '["a\'b"]'],
}
/** Every text in the data, to compare with. */
export const anyText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...Object.values(TEXTS).flat(), ...PROVIDERS, ...SOURCE_TYPES) },
  fc.constantFrom('long_sleep', 'acknowledged_nap', 'lark', 'owl', 'Green', 'Low', 'none', 'heavy', '', 'a', 'zz'),
)

/** Text fields that samples of a resource may have, each optional. */
export function arbitraryTexts(resource: string): fc.Arbitrary<Record<string, string>> {
  const { shape, texts } = resourceNamed(resource)
  const own = shape === 'text' ? ['content', 'tags'] : ['type', ...texts]
  const names = [...own, 'app_id', 'workout_id', 'sport']
  const model = Object.fromEntries(names.map(name => [name, fc.constantFrom(...(TEXTS[name] as string[]))]))
  return fc.record(model, { requiredKeys: [] }) as fc.Arbitrary<Record<string, string>>
}

/** A period of one unit, used as a bucket, a cap or a window. */
export const bucket = fc.constantFrom(
  ...[
    ...[
      ['minute', 1],
      ['minute', 15],
      ['minute', 7],
      ['hour', 1],
      ['hour', 6],
      ['hour', 5],
      ['day', 1],
      ['day', 1],
    ],
    ...[
      ['day', 2],
      ['day', 10],
      ['week', 1],
      ['week', 2],
      ['month', 1],
      ['month', 3],
      ['month', 5],
      ['year', 1],
    ],
    ...[
      ['year', 2],
      ['year', 10],
    ],
  ].map(([unit, value]) => ({ unit: unit as string, value: value as number })),
)

const LONGEST = { minute: 3000, hour: 100, day: 70, week: 10, month: 14, year: 3 }
export const past = fc.oneof(
  { weight: 6, arbitrary: fc.record({ unit: fc.constant('day'), value: fc.integer({ min: 1, max: 70 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({ unit: fc.constantFrom('month', 'year'), value: fc.integer({ min: 1, max: 3 }) }),
  },
  ...Object.entries(LONGEST).map(([unit, max]) =>
    fc.record({ unit: fc.constant(unit), value: fc.integer({ min: 1, max }) }),
  ),
)

/** Midnight of a day near the base. */
export const dayNear = (from: number, days: number): fc.Arbitrary<number> =>
  fc.integer({ min: -days, max: days }).map(n => from + n * DAY)
