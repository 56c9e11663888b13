/** Which source is better: decided by type, then the overrides, then the team's priorities, then the provider's name. */

const TYPES = [
  ...['lab', 'automatic', 'watch', 'ring', 'chest_strap', 'scale', 'cuff', 'fingerprick', 'manual_scan'],
  // three types missing from the documented order share a rank here
  'a device of its own',
  ...['phone', 'app', 'multiple_sources', 'unknown'],
]
const UNLISTED = ['insulin_pump', 'exercise_machine', 'earphone']
const DATA_TYPES: Readonly<Record<string, string>> = {
  sleep: 'sleep',
  derived_readiness: 'sleep',
  activity: 'activity',
  workout: 'workouts',
  body: 'body',
  timeseries: 'timeseries',
}

export interface Source {
  readonly provider: string
  readonly sourceType: string
}

/** A row of the team's priorities. */
export interface TeamPriority {
  readonly dataType: 'workouts' | 'activity' | 'sleep' | 'body' | 'timeseries'
  readonly provider: string
  readonly sourceType: string | null
  readonly priority: number
}

function rankOfType(type: string): number {
  const rank = TYPES.indexOf(UNLISTED.includes(type) ? 'a device of its own' : type)
  return rank < 0 ? TYPES.indexOf('unknown') : rank
}

/** Compares entry by entry, smaller numbers first. */
export function compareLists(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  for (let i = 0; i < a.length; i++) {
    if ((a[i] as number) < (b[i] as number)) return -1
    if ((a[i] as number) > (b[i] as number)) return 1
  }
  return 0
}

/** Returns what decides about a source in a call, most important first. */
export function ranking(
  source: Source,
  overrides: readonly string[],
  team: readonly TeamPriority[],
  table: string,
): readonly (number | string)[] {
  const rank = overrides.indexOf(source.provider)
  const rows = team.filter(row => row.dataType === DATA_TYPES[table] && row.provider === source.provider)
  const row = rows.find(each => each.sourceType === source.sourceType) ?? rows.find(each => each.sourceType === null)
  return [
    rankOfType(source.sourceType),
    rank < 0 ? overrides.length : rank,
    row ? -row.priority : Number.POSITIVE_INFINITY,
    source.provider,
    source.sourceType,
  ]
}
