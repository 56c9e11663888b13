/** Reads one item of the line format (see lines.ts): a sample, a summary or a workout stream, or its problems. */
import { RESOURCE_NAMES, resourceNamed, type TimeseriesResource } from '../../../catalogue/resources.ts'
import { didYouMean } from '../../../core/errors.ts'
import { type SampleInput, TEXT_COLUMNS, type TextColumn } from '../../../core/sample.ts'
import { findLoneSurrogate, LONE_SURROGATE_TYPE } from '../../../core/whole-text.ts'
import { asObject } from '../../shared/json-fields.ts'
import { conversionFor } from '../records/units.ts'
import { parseStream, parseSummary } from './documents.ts'
import { Fields, type ItemTime } from './fields.ts'
import type { ItemReading, ParsedItem } from './item.ts'

/** Maximum length of a note. */
const NOTE_CHARACTERS = 65_536
const MOST_TAGS = 100
const PLAIN_TEXTS = TEXT_COLUMNS.filter(name => name !== 'content' && name !== 'tags')
const SAMPLE_FIELDS: ReadonlySet<string> = new Set([
  'resource',
  'provider',
  'source_type',
  'timestamp',
  'start',
  'end',
  'timezone_offset',
  'value',
  'systolic',
  'diastolic',
  'unit',
  'tags',
  ...PLAIN_TEXTS,
])

/**
 * Reads an item and never throws. A sample may omit `provider` and `source_type` (default: from `reading`), `unit` (default: the
 * resource's; other known units are converted), `end` (default: its start) and `timezone_offset`. Its time is `timestamp` or `start`.
 */
export function parseItem(value: unknown, reading: ItemReading): ParsedItem {
  const item = asObject(value)
  if (item === undefined) {
    return { kind: 'wrong', issues: [{ path: [], msg: 'must be an object', type: 'object_type' }] }
  }
  const surrogate = findLoneSurrogate(item)
  if (surrogate !== null)
    return { kind: 'wrong', issues: [{ path: surrogate.path, msg: surrogate.msg, type: LONE_SURROGATE_TYPE }] }
  const fields = new Fields(item)
  if ('summary' in item) return parseSummary(fields, reading)
  if ('stream' in item) return parseStream(fields, reading)
  return parseSample(fields, reading)
}

function parseSample(fields: Fields, reading: ItemReading): ParsedItem {
  fields.refuseOthers(SAMPLE_FIELDS)
  const { provider, sourceType } = fields.source(reading)
  const resource = readResource(fields)
  const times = readTimes(fields, reading)
  const text: Partial<Record<TextColumn, string>> = {}
  for (const name of PLAIN_TEXTS) {
    const given = fields.text(name)
    if (given !== null) text[name] = name === 'workout_id' ? reading.idOf(given) : given
  }
  const tags = readTags(fields)
  if (tags !== null) text.tags = tags
  const values = resource === undefined ? null : readValues(resource, fields, text)
  if (fields.issues.length > 0 || resource === undefined || times === null || values === null) {
    return { kind: 'wrong', issues: fields.issues }
  }
  const type = resource.discriminator === undefined ? null : (text.type ?? null)
  if (resource.discriminator !== undefined) delete text.type
  return {
    kind: 'sample',
    series: { resource: resource.name, type, provider, sourceType },
    sample: { start: times.start.ms, end: times.end, offset: times.start.offset, ...values, text },
    truncated: times.truncated,
  }
}

function readResource(fields: Fields): TimeseriesResource | undefined {
  const name = fields.required('resource')
  if (name === '') return undefined
  const resource = resourceNamed(name)
  if (resource === undefined) {
    const hint = didYouMean(name, RESOURCE_NAMES)
    fields.wrong('resource', `is not one of the known resources.${hint}`, 'enum')
  }
  return resource
}

interface SampleTimes {
  readonly start: ItemTime
  readonly end: number
  readonly truncated: boolean
}

function readTimes(fields: Fields, reading: ItemReading): SampleTimes | null {
  const stamp = fields.time('timestamp', reading.timeZone)
  const start = fields.time('start', reading.timeZone) ?? stamp
  const end = fields.time('end', reading.timeZone)
  if (start === null) {
    if (!fields.has('timestamp') && !fields.has('start')) fields.wrong('timestamp', 'Field required', 'missing')
    return null
  }
  if (stamp !== null && stamp.ms !== start.ms) {
    fields.wrong('timestamp', 'must be the same instant as start, or be left out', 'value_error')
  }
  const truncated = start.truncated || end?.truncated === true
  return { start, end: end?.ms ?? start.ms, truncated }
}

function readValues(
  resource: TimeseriesResource,
  fields: Fields,
  text: Partial<Record<TextColumn, string>>,
): Pick<SampleInput, 'value' | 'second'> | null {
  const convert = readUnit(resource, text.type ?? null, fields)
  if (convert === null) return null
  switch (resource.shape) {
    case 'text': {
      // null means a note with only tags; a missing value is a mistake
      if (!fields.isGiven('value')) fields.wrong('value', 'Field required', 'missing')
      const content = fields.text('value', NOTE_CHARACTERS)
      if (content !== null) text.content = content
      return { value: 0 }
    }
    case 'blood_pressure':
      return { value: convert(fields.number('systolic')), second: convert(fields.number('diastolic')) }
    case 'value':
      return { value: convert(fields.number('value')) }
  }
}

/**
 * Returns a function that converts a value to the resource's unit. Returns null, and adds an issue, for a unit that the resource does not
 * support.
 */
function readUnit(
  resource: TimeseriesResource,
  type: string | null,
  fields: Fields,
): ((value: number) => number) | null {
  const unit = fields.text('unit')
  if (unit === null || unit === resource.unit) return value => value
  const convert = conversionFor(resource.name, unit, type)
  if (convert === null) {
    fields.wrong('unit', `is not a unit of ${resource.name}, which is measured in ${resource.unit}`, 'value_error')
  }
  return convert
}

function readTags(fields: Fields): string | null {
  const tags = fields.raw('tags')
  if (tags === null) return null
  const isList = Array.isArray(tags) && tags.length <= MOST_TAGS && tags.every(isTag)
  if (!isList)
    fields.wrong('tags', `must be a list of at most ${MOST_TAGS} strings of at most 256 characters`, 'list_type')
  return JSON.stringify(tags)
}

function isTag(tag: unknown): boolean {
  return typeof tag === 'string' && tag.length <= 256
}
