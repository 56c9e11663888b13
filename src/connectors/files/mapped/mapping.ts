/** Maps a CSV file's columns, or the fields of NDJSON lines, to the parts of a sample, so that any table can be imported. */
import { neededTypes, RESOURCE_NAMES, resourceQueried, type TimeseriesResource } from '../../../catalogue/resources.ts'
import { didYouMean, invalid, type ServiceError } from '../../../core/errors.ts'
import { type SummaryKind, summaryKindNamed, TEXT_COLUMNS } from '../../../core/sample.ts'
import { isTimeZone } from '../../../core/zones.ts'
import { conversionFor } from '../records/units.ts'

/**
 * Fields to which a column can be mapped. `date` and `time` together replace `start`; `end` defaults to the start; `systolic` and
 * `diastolic` replace `value`.
 */
export const MAPPING_TARGETS = [
  'start',
  'date',
  'time',
  'end',
  'value',
  'systolic',
  'diastolic',
  'resource',
  'unit',
  'timezone_offset',
  'user',
  ...TEXT_COLUMNS,
] as const
export type MappingTarget = (typeof MAPPING_TARGETS)[number]

export interface ColumnMapping {
  /** Column (or field) name for each target. */
  readonly columns: Readonly<Partial<Record<MappingTarget, string>>>
  /** The resource of all rows, unless a column contains it. */
  readonly resource: string | null
  /** Unit of the file's values, unless a column contains it; null for the resource's unit. */
  readonly unit: string | null
  /** IANA zone for times without an offset; null for the user's fallback zone. */
  readonly timeZone: string | null
  /** Conditions on columns (or fields); only rows that meet all of them are read. */
  readonly where?: readonly RowCondition[] | undefined
}

export interface RowCondition {
  readonly column: string
  /** The required text. Surrounding spaces are ignored, here and in the row. */
  readonly value: string
}

/** The mapping that is used if none is given. */
export const NO_MAPPING: ColumnMapping = { columns: {}, resource: null, unit: null, timeZone: null }

/** Settings in addition to the columns. See `ColumnMapping`. */
export interface MappingOptions {
  readonly resource?: string | null | undefined
  readonly unit?: string | null | undefined
  readonly timeZone?: string | null | undefined
  readonly where?: readonly RowCondition[] | undefined
}

const LOC = ['query', 'mapping'] as const
/** Source columns, which every resource's samples can have. */
const SOURCE_COLUMNS: readonly MappingTarget[] = ['app_id', 'device_id', 'workout_id', 'sport']
/** Maximum length of a column name in a message. */
const SHOWN_CHARACTERS = 40

/**
 * Parses the pairs `start=Time value=Steps …`. If there are no pairs, the mapping has no columns, and the file's importer reports the
 * available ones. Throws ServiceError `unknown_resource` with the nearest names, and `invalid_request` for a pair without `=`, a target
 * that is unknown, mapped twice or not part of the resource, a unit that the resource does not support, an unknown time zone, and columns
 * that could not store a single row.
 */
export function parseMapping(pairs: readonly string[], options: MappingOptions = {}): ColumnMapping {
  const columns: Partial<Record<MappingTarget, string>> = {}
  for (const pair of pairs) addPair(columns, pair)
  const resource = options.resource ?? null
  const unit = options.unit ?? null
  const timeZone = options.timeZone ?? null
  if (timeZone !== null && !isTimeZone(timeZone)) {
    throw refused('the time zone must be an IANA identifier such as Europe/Berlin')
  }
  const known = resource === null ? undefined : knownResource(resource)
  if (pairs.length > 0) checkColumns(columns, known)
  if (known !== undefined) checkUnit(known, unit, columns)
  return { columns, resource: known?.name ?? null, unit, timeZone, where: options.where }
}

/** Returns text from the file, shortened for a message. */
export function shown(text: string): string {
  const plain = text.replaceAll(/\s+/g, ' ').trim()
  return plain.length > SHOWN_CHARACTERS ? `${plain.slice(0, SHOWN_CHARACTERS)}…` : plain
}

/** Returns the targets for a resource's value. */
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
    throw refused(`columns cannot be mapped to "${shown(target)}".${hint} Allowed: ${MAPPING_TARGETS.join(', ')}`)
  }
  if (column.trim() === '') throw refused(`${target}= has no column`)
  if (columns[target] !== undefined) throw refused(`${target} is mapped twice; map it to one column`)
  columns[target] = column
}

function isTarget(name: string): name is MappingTarget {
  return (MAPPING_TARGETS as readonly string[]).includes(name)
}

function knownResource(name: string): TimeseriesResource {
  const known = resourceQueried(name)
  if (known !== undefined) return known
  const kind = summaryKindNamed(name)
  if (kind !== undefined) throw notSamples(kind)
  const msg = `"${shown(name)}" is not a timeseries resource.${didYouMean(name, RESOURCE_NAMES)}`
  throw invalid([{ loc: [...LOC, 'resource'], msg, type: 'enum' }], 'unknown_resource', [
    '`svc timeseries resources` lists them all.',
  ])
}

function notSamples(kind: SummaryKind): ServiceError {
  const msg =
    `"${kind}" is a kind of summary, but the rows of a table are imported as samples. Allowed: timeseries resources, such ` +
    'as steps or heartrate'
  return invalid([{ loc: [...LOC, 'resource'], msg, type: 'enum' }], 'unknown_resource', [
    `For summaries of the kind ${kind}, import the export of a provider or a file of items (\`svc docs samples\`).`,
    '`svc timeseries resources` lists the resources that a table can contain.',
  ])
}

/** Refuses columns that could not store a single row. */
function checkColumns(columns: ColumnMapping['columns'], resource: TimeseriesResource | undefined): void {
  checkTime(columns)
  if (resource === undefined) {
    if (columns.resource === undefined) {
      const msg =
        'the resource of the rows is not set; use --resource steps, or --map resource=COLUMN if a column contains it'
      throw invalid([{ loc: [...LOC, 'resource'], msg, type: 'missing' }])
    }
    return
  }
  for (const target of valueTargets(resource)) {
    if (columns[target] === undefined)
      throw refused(`${resource.name} needs a column for ${target}; use --map ${target}=COLUMN`)
  }
  const types = neededTypes(resource)
  if (types !== undefined && columns.type === undefined) {
    throw refused(`${resource.name} needs a column for its type (${types.join(', ')} …); use --map type=COLUMN`)
  }
  // if each row has its own resource, a column applies to the rows whose resource supports it
  if (columns.resource !== undefined) return
  const allowed: readonly MappingTarget[] = [
    ...(['start', 'date', 'time', 'end', 'unit', 'timezone_offset', 'user'] as const),
    ...valueTargets(resource),
    ...resource.fields,
    ...SOURCE_COLUMNS,
  ]
  const foreign = Object.keys(columns).find(target => !allowed.includes(target as MappingTarget))
  if (foreign !== undefined) throw refused(`${resource.name} has no ${foreign}. Allowed: ${allowed.join(', ')}`)
}

/** Checks that a row's time is in one column, or in two columns for the date and the time of day. */
function checkTime({ start, date, time }: ColumnMapping['columns']): void {
  if (start !== undefined && (date ?? time) !== undefined) {
    throw refused('start is the whole time of a row, so date and time cannot be mapped as well')
  }
  if (start !== undefined || (date !== undefined && time !== undefined)) return
  if (date !== undefined)
    throw refused('date needs a column for time; use --map time=COLUMN, or start= instead of date=')
  if (time !== undefined)
    throw refused('time needs a column for date; use --map date=COLUMN, or start= instead of time=')
  throw refused(
    'no column is mapped to start, the time of a row; use --map start=COLUMN, or --map date=COLUMN --map time=COLUMN',
  )
}

function checkUnit(resource: TimeseriesResource, unit: string | null, columns: ColumnMapping['columns']): void {
  if (unit === null) return
  // if each row has its own resource or type, it depends on the row whether the unit fits
  const types = columns.resource === undefined ? (neededTypes(resource) ?? [null]) : []
  if (types.length === 0 || types.some(type => conversionFor(resource.name, unit, type) !== null)) return
  const msg = `"${shown(unit)}" is not a unit of ${resource.name}, which is measured in ${resource.unit}`
  throw invalid([{ loc: [...LOC, 'unit'], msg, type: 'value_error' }])
}

function refused(msg: string): ServiceError {
  return invalid([{ loc: [...LOC], msg, type: 'value_error' }])
}
