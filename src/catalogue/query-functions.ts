/** The aggregate language's functions, units, time parts and limits. See docs/interface/aggregates.md. */
import type { ColumnType } from './query/column.ts'

export interface AggregateFunction {
  readonly name: 'mean' | 'min' | 'max' | 'sum' | 'count' | 'median' | 'stddev' | 'oldest' | 'newest'
  readonly takes: readonly ColumnType[]
  /** Result type; `same` means the argument's type. */
  readonly gives: 'float' | 'int' | 'same'
  readonly meaning: string
}

const ANY: readonly ColumnType[] = ['float', 'int', 'text', 'time', 'date', 'bool']
const NUMBERS: readonly ColumnType[] = ['float', 'int']
const ORDERED: readonly ColumnType[] = ['float', 'int', 'time', 'date']

/** The aggregate functions. All of them ignore nulls. If there are no values, count is 0 and every other function is null. */
export const AGGREGATE_FUNCTIONS: readonly AggregateFunction[] = [
  {
    name: 'mean',
    takes: [...NUMBERS, 'time'],
    gives: 'float',
    meaning: 'Arithmetic mean; of times, the mean time of day on a 24-hour clock',
  },
  { name: 'min', takes: ORDERED, gives: 'same', meaning: 'Smallest value' },
  { name: 'max', takes: ORDERED, gives: 'same', meaning: 'Largest value' },
  { name: 'sum', takes: NUMBERS, gives: 'same', meaning: 'Sum, compensated for rounding errors' },
  { name: 'count', takes: ANY, gives: 'int', meaning: 'Number of values' },
  { name: 'median', takes: NUMBERS, gives: 'float', meaning: 'Middle value, or the mean of the two middle values' },
  {
    name: 'stddev',
    takes: NUMBERS,
    gives: 'float',
    meaning: 'Sample standard deviation; null for fewer than two values',
  },
  { name: 'oldest', takes: ANY, gives: 'same', meaning: 'Value with the earliest index' },
  { name: 'newest', takes: ANY, gives: 'same', meaning: 'Value with the latest index' },
]

/** Other names that queries may use. The response uses the names above. */
const ALIASES: Readonly<Record<string, AggregateFunction['name']>> = { latest: 'newest' }

/** Every name that a query may use for a function. */
export const FUNCTION_NAMES: readonly string[] = [
  ...AGGREGATE_FUNCTIONS.map(each => each.name),
  ...Object.keys(ALIASES),
]

/** Returns the function with this name or alias; undefined if there is none. */
export function aggregateFunction(name: string): AggregateFunction | undefined {
  // only the object's own keys are aliases; inherited ones such as `constructor` are not
  const canonical = Object.hasOwn(ALIASES, name) ? ALIASES[name] : name
  return AGGREGATE_FUNCTIONS.find(each => each.name === canonical)
}

/** Returns the type of a function's result. The mean of times is a time of day: `HH:MM:SS` without a date. */
export function resultType(func: AggregateFunction, argument: ColumnType): ColumnType | 'time_of_day' {
  if (func.name === 'mean' && argument === 'time') return 'time_of_day'
  return func.gives === 'same' ? argument : func.gives
}

export const PERIOD_UNITS = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const
export type PeriodUnit = (typeof PERIOD_UNITS)[number]

export const DATE_PARTS = [
  'minute',
  'hour',
  'day',
  'week',
  'month',
  'year',
  'weekday',
  'week_of_year',
  'day_of_year',
] as const
export type DatePart = (typeof DATE_PARTS)[number]

/**
 * Query limits. A query that exceeds a limit is refused with a 422 that states the limit. See docs/interface/aggregates.md#aggregates-8.
 */
export const QUERY_LIMITS = {
  queries: 50,
  selectItems: 50,
  groupKeys: 10,
  whereCharacters: 4_000,
  whereDepth: 64,
  windowYears: 20,
  rows: 1_000_000,
  /** Maximum rows × columns of all results of a call, which also bounds a single result. Not part of the interface. */
  cells: 60_000_000,
  /** Maximum number of groups that one call explains. Not part of the interface. */
  explainedGroups: 100_000,
  /** Longest date_trunc bucket. Not part of the interface. */
  bucketYears: 100,
} as const
