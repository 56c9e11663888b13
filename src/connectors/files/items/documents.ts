/** Reads items that contain documents: summaries and workout streams. */
import { didYouMean } from '../../../core/errors.ts'
import { present } from '../../../core/present.ts'
import { SUMMARY_KINDS, type SummaryKind } from '../../../core/sample.ts'
import { STREAM_COLUMNS, type StreamColumn, type StreamRecord } from '../../../core/stream.ts'
import { formatDate, parseDate, SECOND_MS } from '../../../core/time.ts'
import { asObject, member } from '../../shared/json-fields.ts'
import type { Fields } from './fields.ts'
import type { ItemReading, ParsedItem } from './item.ts'

const MOST_POINTS = 1_000_000
const SUMMARY_FIELDS: ReadonlySet<string> = new Set([
  'summary',
  'id',
  'provider',
  'source_type',
  'app_id',
  'device_id',
  'at',
  'date',
  'timezone_offset',
  'document',
])
const STREAM_FIELDS: ReadonlySet<string> = new Set([
  'stream',
  'provider',
  'source_type',
  'at',
  'timezone_offset',
  'provider_id',
  'sport',
  'time_ms',
  ...STREAM_COLUMNS,
])
/** Document fields that refer to another summary of the same user. */
const REFERENCES = ['sleep_id', 'workout_id'] as const

/** Reads a summary. Its time is `at`, or midnight UTC of its `date`. Without a `date`, the date is the local date of `at`. */
export function parseSummary(fields: Fields, reading: ItemReading): ParsedItem {
  fields.refuseOthers(SUMMARY_FIELDS)
  const { provider, sourceType } = fields.source(reading)
  const kind = readKind(fields)
  const date = fields.date('date')
  const time = fields.time('at', reading.timeZone)
  if (time === null && !fields.has('at') && date === null && !fields.has('date')) {
    fields.wrong('at', 'Field required unless date is set', 'missing')
  }
  const [appId, deviceId, given] = [fields.text('app_id'), fields.text('device_id'), fields.text('id')]
  const document = readDocument(fields)
  if (fields.issues.length > 0 || kind === null || document === null) return { kind: 'wrong', issues: fields.issues }
  const at = time?.ms ?? (parseDate(date as string) as number)
  const offset = time === null ? (fields.offset() ?? null) : time.offset
  const id = given === null ? reading.newId(kind, provider, sourceType, at) : reading.idOf(given)
  return {
    kind: 'summary',
    summary: {
      kind,
      id,
      provider,
      sourceType,
      appId,
      deviceId,
      at,
      date: date ?? formatDate(at + (offset ?? 0) * SECOND_MS),
      offset,
      document: withOwnIds(document, given, id, reading),
    },
  }
}

/**
 * Reads a stream. Its points are in one list per column. Each list is as long as `time_ms`, which contains whole epoch milliseconds in
 * ascending order.
 */
export function parseStream(fields: Fields, reading: ItemReading): ParsedItem {
  fields.refuseOthers(STREAM_FIELDS)
  const { provider, sourceType } = fields.source(reading)
  const given = fields.required('stream')
  const at = fields.time('at', reading.timeZone)
  const providerId = fields.text('provider_id')
  const sport = readSport(fields)
  const time = readTimes(fields)
  const columns = new Map<StreamColumn, Float64Array>()
  for (const name of STREAM_COLUMNS) {
    const values = readColumn(fields, name, time.length)
    if (values?.some(value => !Number.isNaN(value))) columns.set(name, values)
  }
  if (fields.issues.length > 0) return { kind: 'wrong', issues: fields.issues }
  const workoutId = reading.idOf(given)
  return {
    kind: 'stream',
    stream: {
      workoutId,
      provider,
      sourceType,
      at: at?.ms ?? present(time[0], 'the first time'),
      offset: at === null ? (fields.offset() ?? null) : at.offset,
      providerId: providerId === null || providerId === given ? workoutId : providerId,
      sport,
      n: time.length,
      time,
      columns,
    },
  }
}

function readKind(fields: Fields): SummaryKind | null {
  const name = fields.required('summary')
  if ((SUMMARY_KINDS as readonly string[]).includes(name)) return name as SummaryKind
  const allowed = `${didYouMean(name, SUMMARY_KINDS)} Allowed: ${SUMMARY_KINDS.join(', ')}`
  if (name !== '') fields.wrong('summary', `is not a kind of summary.${allowed}`, 'enum')
  return null
}

function readDocument(fields: Fields): Readonly<Record<string, unknown>> | null {
  const document = fields.raw('document')
  const object = asObject(document)
  if (document === null) fields.wrong('document', 'Field required', 'missing')
  else if (object === undefined) fields.wrong('document', 'must be an object', 'object_type')
  return object ?? null
}

/** Replaces the IDs in a document with the user's own IDs for the same summaries. */
function withOwnIds(
  document: Readonly<Record<string, unknown>>,
  given: string | null,
  id: string,
  reading: ItemReading,
): Readonly<Record<string, unknown>> {
  const changes: Record<string, string> = {}
  for (const name of REFERENCES) {
    const reference = document[name]
    if (typeof reference === 'string') changes[name] = reading.idOf(reference)
  }
  if (given !== null && document['provider_id'] === given) changes['provider_id'] = id
  return { ...document, ...changes }
}

function readSport(fields: Fields): StreamRecord['sport'] {
  const sport = fields.raw('sport')
  if (sport === null) return null
  const [id, name, slug] = ['id', 'name', 'slug'].map(key => member(sport, key))
  if (typeof id === 'number' && Number.isInteger(id) && typeof name === 'string' && typeof slug === 'string') {
    return { id, name, slug }
  }
  fields.wrong('sport', 'must have an integer id, a name and a slug', 'value_error')
  return null
}

function readTimes(fields: Fields): Float64Array {
  const given = fields.raw('time_ms')
  if (!Array.isArray(given) || given.length === 0 || given.length > MOST_POINTS) {
    const type = given === null ? 'missing' : 'list_type'
    fields.wrong('time_ms', `must be a list of 1 to ${MOST_POINTS} epoch milliseconds`, type)
    return new Float64Array(0)
  }
  const times = new Float64Array(given.length)
  let before = Number.NEGATIVE_INFINITY
  for (const [i, time] of given.entries()) {
    if (!Number.isSafeInteger(time) || (time as number) < before) {
      fields.issues.push({
        path: ['time_ms', i],
        msg: 'must be an integer and not less than the one before it',
        type: 'value_error',
      })
      break
    }
    before = times[i] = time as number
  }
  return times
}

function readColumn(fields: Fields, name: StreamColumn, n: number): Float64Array | null {
  const given = fields.raw(name)
  if (given === null) return null
  if (!Array.isArray(given) || given.length !== n) {
    fields.wrong(name, 'must be a list as long as time_ms', 'list_type')
    return null
  }
  const values = new Float64Array(n)
  for (const [i, value] of given.entries()) {
    if (value !== null && !(typeof value === 'number' && Number.isFinite(value))) {
      fields.issues.push({ path: [name, i], msg: 'must be a finite number or null', type: 'finite_number' })
      return null
    }
    values[i] = value === null ? Number.NaN : value
  }
  return values
}
