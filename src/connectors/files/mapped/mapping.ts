/** Which columns of a CSV, or fields of NDJSON lines, are what of a sample: how any table can be imported. */
import { neededTypes, RESOURCE_NAMES, resourceQueried, type TimeseriesResource } from '../../../catalogue/resources.ts'
import { didYouMean, invalid, type ServiceError } from '../../../core/errors.ts'
import { TEXT_COLUMNS, type TextColumn } from '../../../core/sample.ts'
import { isTimeZone } from '../../../core/zones.ts'
import { conversionFor } from '../records/units.ts'

/** What a column can be mapped to. `end` defaults to `start`; `systolic` and `diastolic` take the place of `value`. */
export const MAPPING_TARGETS = [
  'start',
  'end',
  'value',
  'systolic',
  'diastolic',
  'resource',
  'unit',
  'timezone_offset',
  ...TEXT_COLUMNS,
] as const
export type MappingTarget =
  | 'start'
  | 'end'
  | 'value'
  | 'systolic'
  | 'diastolic'
  | 'resource'
  | 'unit'
  | 'timezone_offset'
  | TextColumn

export interface ColumnMapping {
  /** Name of the column (or field) for each target. */
  readonly columns: Readonly<Partial<Record<MappingTarget, string>>>
  /** For all rows, where no column says it. */
  readonly resource: string | null
  /** Unit of the values in the file, where no column says it; null: the resource's own. */
  readonly unit: string | null
  /** IANA zone for times without an offset; null: the user's fallback zone. */
  readonly timeZone: string | null
}

/** What goes with the columns: see `ColumnMapping`. */
export interface MappingOptions {
  readonly resource?: string | null | undefined
  readonly unit?: string | null | undefined
  readonly timeZone?: string | null | undefined
}

const LOC = ['query', 'mapping'] as const
/** Columns of the source, which samples of every resource can have. */
const SOURCE_COLUMNS: readonly MappingTarget[] = ['app_id', 'device_id', 'workout_id', 'sport']
/** Longest name of a column that a message repeats. */
const SHOWN_CHARACTERS = 40

/**
 * The mapping of `start=Time value=Steps …`. Without any pair it has no columns, and the importer of the file says which ones
 * there are. Throws ServiceError: `unknown_resource` with the nearest names; `invalid_request` for a pair without `=`, a target
 * that is not known or is given twice, one that the resource does not have, a unit that is not known for the resource, a
 * time zone that is none, and columns without which no row could be stored.
 */
export function parseMapping(pairs: readonly string[], options: MappingOptions = {}): ColumnMapping {
  const columns: Partial<Record<MappingTarget, string>> = {}
  for (const pair of pairs) addPair(columns, pair)
  const resource = options.resource ?? null
  const unit = options.unit ?? null
  const timeZone = options.timeZone ?? null
  if (timeZone !== null && !isTimeZone(timeZone)) {
    throw refused('a time zone is an identifier such as Europe/Berlin; this is none')
  }
  const known = resource === null ? undefined : knownResource(resource)
  if (pairs.length > 0) checkColumns(columns, known)
  if (known !== undefined) checkUnit(known, unit, columns)
  return { columns, resource: known?.name ?? null, unit, timeZone }
}

/** Text of the file fit for a message. */
export function shown(text: string): string {
  const plain = text.replaceAll(/\s+/g, ' ').trim()
  return plain.length > SHOWN_CHARACTERS ? `${plain.slice(0, SHOWN_CHARACTERS)}…` : plain
}

/** What a value of a resource is read from. */
export function valueTargets(resource: TimeseriesResource): readonly MappingTarget[] {
  if (resource.shape === 'blood_pressure') return ['systolic', 'diastolic']
  return resource.shape === 'text' ? ['content'] : ['value']
}

function addPair(columns: Partial<Record<MappingTarget, string>>, pair: string): void {
  const at = pair.indexOf('=')
  if (at === -1) throw refused(`"${shown(pair)}" is not TARGET=COLUMN, such as start=Time`)
  const target = pair.slice(0, at).trim()
  const column = pair.slice(at + 1)
  if (!isTarget(target)) {
    const hint = didYouMean(target, MAPPING_TARGETS)
    throw refused(
      `"${shown(target)}" is nothing a column can be mapped to.${hint} Allowed: ${MAPPING_TARGETS.join(', ')}`,
    )
  }
  if (column.trim() === '') throw refused(`${target}= names no column`)
  if (columns[target] !== undefined) throw refused(`${target} is mapped twice; it takes one column`)
  columns[target] = column
}

function isTarget(name: string): name is MappingTarget {
  return (MAPPING_TARGETS as readonly string[]).includes(name)
}

function knownResource(name: string): TimeseriesResource {
  const known = resourceQueried(name)
  if (known !== undefined) return known
  const msg = `"${shown(name)}" is not a timeseries resource.${didYouMean(name, RESOURCE_NAMES)}`
  throw invalid([{ loc: [...LOC, 'resource'], msg, type: 'enum' }], 'unknown_resource', [
    '`svc timeseries resources` lists them all.',
  ])
}

/** Refuses what could not store a single row. */
function checkColumns(columns: ColumnMapping['columns'], resource: TimeseriesResource | undefined): void {
  if (columns.start === undefined) throw refused('no column is mapped to start, the time of a row: --map start=COLUMN')
  if (resource === undefined) {
    if (columns.resource === undefined) {
      throw refused('nothing says what the rows are: --resource steps, or --map resource=COLUMN where each row says it')
    }
    return
  }
  for (const target of valueTargets(resource)) {
    if (columns[target] === undefined)
      throw refused(`${resource.name} needs a column for ${target}: --map ${target}=COLUMN`)
  }
  const types = neededTypes(resource)
  if (types !== undefined && columns.type === undefined) {
    throw refused(`${resource.name} needs a column for its type (${types.join(', ')} …): --map type=COLUMN`)
  }
  // with a resource a row, a column is for the rows that can have it
  if (columns.resource !== undefined) return
  const allowed: readonly MappingTarget[] = [
    ...(['start', 'end', 'unit', 'timezone_offset'] as const),
    ...valueTargets(resource),
    ...resource.fields,
    ...SOURCE_COLUMNS,
  ]
  const foreign = Object.keys(columns).find(target => !allowed.includes(target as MappingTarget))
  if (foreign !== undefined) throw refused(`${resource.name} has no ${foreign}. Allowed: ${allowed.join(', ')}`)
}

function checkUnit(resource: TimeseriesResource, unit: string | null, columns: ColumnMapping['columns']): void {
  if (unit === null) return
  // with a resource or a type a row, the row decides whether the unit fits
  const types = columns.resource === undefined ? (neededTypes(resource) ?? [null]) : []
  if (types.length === 0 || types.some(type => conversionFor(resource.name, unit, type) !== null)) return
  const msg = `"${shown(unit)}" is not a unit that ${resource.name} is known in; its own is ${resource.unit}`
  throw invalid([{ loc: [...LOC, 'unit'], msg, type: 'value_error' }])
}

function refused(msg: string): ServiceError {
  return invalid([{ loc: [...LOC], msg, type: 'value_error' }])
}
