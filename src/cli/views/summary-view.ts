/** Shows summaries, with a few important columns on a terminal, every key in csv, and one summary per line in ndjson. */
import type * as z from 'zod'
import { summaryItem } from '../../contract/readings/summary.ts'
import type { SummaryKind } from '../../core/sample.ts'
import { type Cell, type Facts, factSheet, type View, view } from '../../output/view.ts'
import { toCell } from '../../table/cells.ts'

type Summary = Readonly<Record<string, unknown>>

/** Columns of a table, with their paths in a summary. */
type Columns = Readonly<Record<string, string>>

const SOURCE: Columns = { provider: 'source.provider', source_type: 'source.type' }
const own = (...names: readonly string[]): Columns => Object.fromEntries(names.map(name => [name, name]))

const TABLES: Readonly<Record<Exclude<SummaryKind, 'profile'>, Columns>> = {
  activity: {
    ...own('calendar_date'),
    ...SOURCE,
    ...own('steps', 'distance', 'calories_active', 'calories_total', 'floors_climbed', 'low', 'medium', 'high'),
    resting_bpm: 'heart_rate.resting_bpm',
  },
  workouts: {
    ...own('calendar_date'),
    ...SOURCE,
    sport: 'sport.name',
    ...own('time_start', 'moving_time', 'distance', 'calories', 'average_hr', 'max_hr', 'id'),
  },
  sleep: {
    ...own('calendar_date'),
    ...SOURCE,
    ...own('bedtime_start', 'bedtime_stop', 'total', 'deep', 'rem', 'light', 'awake', 'efficiency', 'score', 'id'),
  },
  sleep_cycle: {
    ...own('calendar_date'),
    ...SOURCE,
    ...own('session_start', 'session_end'),
    stages: 'stage_type',
    ...own('sleep_id'),
  },
  body: {
    ...own('calendar_date'),
    ...SOURCE,
    ...own('weight', 'fat', 'body_mass_index', 'water_percentage', 'muscle_mass_percentage', 'bone_mass_percentage'),
    ...own('visceral_fat_index', 'lean_body_mass_kilogram', 'waist_circumference_centimeter'),
  },
  meal: {
    ...own('timestamp'),
    ...SOURCE,
    ...own('name'),
    kcal: 'energy.value',
    carbs: 'macros.carbs',
    protein: 'macros.protein',
    fat: 'macros.fats.total',
  },
  menstrual_cycle: { ...SOURCE, ...own('period_start', 'period_end', 'cycle_end', 'is_predicted', 'id') },
  electrocardiogram: {
    ...own('session_start'),
    ...SOURCE,
    ...own('classification', 'inconclusive_cause', 'heart_rate_mean', 'voltage_sample_count', 'sampling_frequency_hz'),
  },
}

/** Returns a list of summaries; the columns depend on `isTable`. */
export function summariesView(
  kind: Exclude<SummaryKind, 'profile'>,
  rows: readonly Summary[],
  isTable: boolean,
): View<Summary> {
  const columns = isTable ? TABLES[kind] : own(...dottedKeys(kind))
  const cells = Object.entries(columns).map(
    ([name, path]) => [name, (row: Summary) => shown(at(row, path), isTable)] as const,
  )
  return view(rows, Object.fromEntries(cells), 'No summaries in this range.')
}

/** Returns the profile as a list of facts. */
export function profileView(profile: Summary): View<Facts> {
  return factSheet(Object.fromEntries(dottedKeys('profile').map(path => [path, toCell(at(profile, path))])))
}

/** Returns every key of a kind, with dots for nested objects. The keys are the same for every response. */
function dottedKeys(kind: SummaryKind): readonly string[] {
  return schemaKeys(summaryItem(kind), '')
}

function schemaKeys(schema: z.ZodObject, prefix: string): string[] {
  return Object.entries(schema.shape).flatMap(([key, field]) => {
    const { def } = field as { readonly def: { readonly type: string; readonly innerType?: z.ZodType } }
    // Fields that are sent only for an old compatibility date have no column.
    if (def.type === 'optional') return []
    const inner = def.type === 'nullable' ? (def.innerType as z.ZodType) : (field as z.ZodType)
    return inner.def.type === 'object' ? schemaKeys(inner as z.ZodObject, `${prefix}${key}.`) : [`${prefix}${key}`]
  })
}

function at(row: Summary, path: string): unknown {
  let here: unknown = row
  for (const key of path.split('.')) {
    if (typeof here !== 'object' || here === null) return null
    here = (here as Summary)[key]
  }
  return here
}

/** Returns a cell. A table shows a list as its length. */
function shown(value: unknown, isTable: boolean): Cell {
  return isTable && Array.isArray(value) ? value.length : toCell(value)
}
