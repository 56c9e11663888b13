/** The kinds of values in columns of summaries, which depend on the provider. See docs/interface/kinds.md#kinds-5. */
import { resourceNamed } from './resources.ts'

export interface ColumnKind {
  readonly name: string
  /** Which energy is counted: above rest, or all of it. Null if the column is not an energy. */
  readonly basis: 'active' | 'total' | 'unknown' | null
  /** The time that a value is about. */
  readonly window: 'workout' | 'day' | 'cycle' | 'night'
  /** What a share is a share of: the whole session, or the time in bed as the provider measures it. */
  readonly denominator: 'session' | 'in_bed' | null
  readonly meaning: string
  /** Providers whose values have this kind. Empty for the usual kind, which all other providers have. */
  readonly providers: readonly string[]
}

/** A column with several kinds. A table has at most one. */
export interface ColumnKinds {
  readonly table: string
  readonly column: string
  /** The functions whose result would mix the kinds; null for all functions of the value except `count`. */
  readonly functions: readonly string[] | null
  readonly usual: ColumnKind
  readonly others: readonly ColumnKind[]
}

export const WORKOUT_CALORIES: ColumnKinds = {
  table: 'workout',
  column: 'calories',
  functions: null,
  usual: energy('unknown', 'the provider does not say which energy it is', []),
  others: [
    energy('active', 'energy above that at rest', ['apple_health_kit']),
    // their devices write FIT files, whose energy is a total
    energy('total', 'energy including that at rest', ['whoop_v2', 'polar', 'garmin', 'wahoo', 'hammerhead']),
  ],
}

export const ACTIVITY_CALORIES: ColumnKinds = {
  table: 'activity',
  column: 'calories_total',
  // a mean of days and cycles is still an amount for a day
  functions: ['sum'],
  usual: dayEnergy('day', 'energy of a calendar day', []),
  others: [dayEnergy('cycle', 'energy of a cycle, from sleep to sleep', ['whoop_v2'])],
}

export const SLEEP_EFFICIENCY: ColumnKinds = {
  table: 'sleep',
  column: 'efficiency',
  functions: null,
  usual: efficiency('session', 'share of the time from the start to the end of the session', []),
  others: [
    efficiency('in_bed', 'share of the time in bed, as the provider reports it', ['oura', 'whoop_v2', 'withings']),
  ],
}

export const COLUMN_KINDS: readonly ColumnKinds[] = [WORKOUT_CALORIES, ACTIVITY_CALORIES, SLEEP_EFFICIENCY]

function energy(basis: 'active' | 'total' | 'unknown', meaning: string, providers: readonly string[]): ColumnKind {
  return { name: basis, basis, window: 'workout', denominator: null, meaning, providers }
}

function dayEnergy(window: 'day' | 'cycle', meaning: string, providers: readonly string[]): ColumnKind {
  return { name: window, basis: 'total', window, denominator: null, meaning, providers }
}

function efficiency(denominator: 'session' | 'in_bed', meaning: string, providers: readonly string[]): ColumnKind {
  return { name: denominator, basis: null, window: 'night', denominator, meaning, providers }
}

/** Returns the table's column with several kinds, or undefined. */
export function columnKinds(table: string): ColumnKinds | undefined {
  return COLUMN_KINDS.find(each => each.table === table)
}

/** Returns the column with this name, such as `workout.calories`, or undefined if it does not have several kinds. */
export function columnKindsNamed(name: string): ColumnKinds | undefined {
  return COLUMN_KINDS.find(each => nameOf(each) === name)
}

/** Returns the name of a column in warnings: `workout.calories`. */
export function nameOf({ table, column }: ColumnKinds): string {
  return `${table}.${column}`
}

/** Returns the name of the column that shows the kinds: `calories_kind`. */
export function kindColumnName({ column }: ColumnKinds): string {
  return `${column}_kind`
}

/** Returns what shows the kind in a where clause, for a resource or a column: `hrv.kind`, `workout.calories_kind`. */
export function kindField(name: string): string {
  const column = columnKindsNamed(name)
  return column ? `${column.table}.${kindColumnName(column)}` : `${resourceNamed(name)?.queryName ?? name}.kind`
}

/** Returns the kind of a provider's values. */
export function columnKind({ usual, others }: ColumnKinds, provider: string): ColumnKind {
  return others.find(each => each.providers.includes(provider)) ?? usual
}
