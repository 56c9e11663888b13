/** Causes daily events of summaries: a summary of a day that has none, or the newest one with other figures. */
import { resourceEvent } from '../../catalogue/event-types.ts'
import { summaryLine } from '../../connectors/files/items/lines.ts'
import { summaryItem } from '../../contract/readings/summary.ts'
import { ownedId } from '../../core/ids.ts'
import { SUMMARY_KINDS, type SummaryKind } from '../../core/sample.ts'
import {
  DAY_MS,
  type EpochMs,
  formatDate,
  formatInstant,
  type IsoDate,
  instantOf,
  parseDateTime,
  SECOND_MS,
} from '../../core/time.ts'
import { zoneOffset } from '../../core/zones.ts'
import type { StoredSummary } from '../../store/port.ts'
import { summaryExample } from '../events/examples/summary-examples.ts'
import { storePushed } from '../intake/pushes.ts'
import { type Cause, cannot, type Wanted } from './cause.ts'
import { unknownPath, withValue } from './given.ts'
import { type Source, sourceFor } from './source.ts'

type Item = Readonly<Record<string, unknown>>
type Document = Readonly<Record<string, unknown>>

/** Fields that the service fills in itself. */
const OURS: readonly string[] = ['id', 'user_id', 'source', 'created_at', 'updated_at']
const OF_SOURCE: readonly string[] = ['provider', 'type', 'app_id', 'device_id']
/** Number of days that are searched for one without a summary. */
const MOST_DAYS = 1_500
/** The figure that another version of a summary changes if nothing is requested. */
const FIGURES: Readonly<Record<SummaryKind, readonly string[]>> = {
  activity: ['steps'],
  workouts: ['calories'],
  sleep: ['hr_average'],
  sleep_cycle: ['stage_end_offset_second', '0'],
  body: ['weight'],
  meal: ['energy', 'value'],
  profile: ['height'],
  menstrual_cycle: ['basal_body_temperature', '0', 'value'],
  electrocardiogram: ['heart_rate_mean'],
}

export const changeSummary: Cause = async wanted => {
  const about = resourceEvent(wanted.type)
  const kind = SUMMARY_KINDS.find(each => each === about?.resource)
  if (!kind) throw new Error(`no summary of ${wanted.type}`)
  refusePaths(wanted, kind)
  const usual = summaryExample(kind, 'created', { ...exampleOf(wanted), at: wanted.call.now })
  const source = await sourceFor(wanted, kind, {
    provider: String(usual['provider']),
    sourceType: String(usual['source_type']),
  })
  if (about?.change === 'updated') await updateSummaries(wanted, kind, source)
  else for (let i = 0; i < wanted.count; i++) await push(wanted, await newItem(wanted, kind, source))
}

/**
 * Returns a summary of the day or time that was named, or of the last day before now that has none. Throws 409 if the named one has a
 * summary.
 */
export async function newItem(wanted: Wanted, kind: SummaryKind, source: Source): Promise<Item> {
  const { engine, user, call } = wanted
  const named = wanted.at
  let day = (named ?? call.now) - ((named ?? call.now) % DAY_MS)
  // a day that is over, so that nothing of it is still to come
  if (named === null) day -= DAY_MS
  for (let i = 0; i < MOST_DAYS; i++, day -= DAY_MS) {
    const item = itemAt(wanted, kind, source, day)
    if (!(await engine.store.summary(user.userId, kind, String(item['id'])))) return item
    if (named !== null) {
      throw cannot(
        `${source.provider} already has such a summary at that time.`,
        'Name another --at, or trigger the updated event.',
      )
    }
  }
  throw cannot('Every day that was searched already has such a summary.', 'Name a time with --at.')
}

function itemAt(wanted: Wanted, kind: SummaryKind, { provider, sourceType }: Source, day: EpochMs): Item {
  const { user, given, at } = wanted
  // the example is about the day before its time
  const example = summaryExample(kind, 'created', { ...exampleOf(wanted), at: day + DAY_MS })
  const anchor = anchorOf(kind, example['document'] as Document, day)
  const isTimed = kind === 'workouts' || kind === 'meal' || kind === 'electrocardiogram'
  const shiftMs = isTimed && at !== null && at !== day ? at - anchor : 0
  const document = shifted(example['document'], shiftMs) as Document
  const time = anchor + shiftMs
  const zone = user.fallbackTimeZone?.value
  return withGiven(given, {
    summary: kind,
    id: ownedId(user.userId, kind, provider, sourceType, time),
    provider,
    source_type: sourceType,
    at: formatInstant(time),
    date: formatDate(day) as IsoDate,
    timezone_offset: zone === undefined ? 0 : zoneOffset(zone, time),
    document,
  })
}

/** Returns where a summary stands in time (SummaryRecord.at). */
function anchorOf(kind: SummaryKind, document: Document, day: EpochMs): EpochMs {
  const name = { sleep: 'bedtime_stop', sleep_cycle: 'session_end', workouts: 'time_start', meal: 'timestamp' }[
    kind as string
  ]
  const text = document[name ?? 'session_start']
  const parsed = typeof text === 'string' ? parseDateTime(text) : undefined
  return parsed ? instantOf(parsed) : day
}

/** Returns the document with all of its date-times moved. */
function shifted(value: unknown, ms: number): unknown {
  if (ms === 0) return value
  if (Array.isArray(value)) return value.map(each => shifted(each, ms))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shifted(each, ms)]))
  }
  const parsed = typeof value === 'string' && value.includes('T') ? parseDateTime(value) : undefined
  return parsed ? formatInstant(instantOf(parsed) + ms) : value
}

async function updateSummaries(wanted: Wanted, kind: SummaryKind, source: Source): Promise<void> {
  const isNamed = wanted.given.some(
    each => each.parts[0] === 'source' && ['provider', 'type'].includes(each.parts[1] ?? ''),
  )
  const fits = (each: StoredSummary): boolean =>
    !isNamed || (each.provider === source.provider && each.sourceType === source.sourceType)
  const find = async (): Promise<Item[]> => {
    const held = (await heldSummaries(wanted, kind)).filter(fits).reverse()
    const items = held.map(each => JSON.parse(summaryLine(each)) as Item)
    return items.filter(each => !isSame(changed(wanted, kind, each), each)).slice(0, wanted.count)
  }
  let items = await find()
  const missing = wanted.count - items.length
  const plain = { ...wanted, given: wanted.given.filter(each => each.parts[0] === 'source') }
  for (let i = 0; i < missing; i++) await push(wanted, await newItem(plain, kind, source))
  if (missing > 0) items = await find()
  for (const item of items) await push(wanted, changed(wanted, kind, item))
}

/** Returns the summaries in ascending order of time; if a day was named, only those at that day. */
async function heldSummaries({ engine, user, call, at }: Wanted, kind: SummaryKind): Promise<readonly StoredSummary[]> {
  const [fromDate, toDate] =
    at === null ? ['1970-01-01', formatDate(call.now + DAY_MS)] : [formatDate(at - DAY_MS), formatDate(at + DAY_MS)]
  const held = await engine.store.summaries(user.userId, { kind, provider: null, fromDate, toDate })
  return at === null ? held : held.filter(each => each.date === formatDate(at) || Math.abs(each.at - at) < SECOND_MS)
}

function changed({ given }: Wanted, kind: SummaryKind, item: Item): Item {
  if (given.some(each => each.parts[0] !== 'source')) return withGiven(given, item)
  const path = FIGURES[kind]
  const document = item['document'] as Document
  const before = valueIn(document, path) ?? valueIn(exampleDocument(kind), path)
  const after = typeof before === 'number' ? Math.round((before + 1) * 100) / 100 : before
  return withGiven(given, { ...item, document: withValue(document, path, after, '') })
}

function exampleDocument(kind: SummaryKind): Document {
  // only the figures of this example are used, so its ids are blank
  const nobody = { teamId: '', userId: '00000000-0000-4000-8000-000000000000', clientUserId: '', compatibilityDate: '' }
  return summaryExample(kind, 'created', { ...nobody, at: 0 } as never)['document'] as Document
}

function valueIn(whole: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (value as Document | null | undefined)?.[name], whole)
}

function withGiven(given: Wanted['given'], item: Item): Item {
  const fields: Record<string, unknown> = { ...item }
  for (const { parts, value, path } of given) {
    const [name, inner] = parts
    if (name !== 'source') fields['document'] = withValue(fields['document'], parts, value, path)
    else fields[inner === 'type' ? 'source_type' : (inner as string)] = value
  }
  return fields
}

function refusePaths({ given }: Wanted, kind: SummaryKind): void {
  const fields = Object.keys(summaryItem(kind).shape).filter(name => !OURS.includes(name))
  const allowed = [...fields, ...OF_SOURCE.map(name => `source.${name}`)].map(name => `data.${name}`)
  for (const { parts, path } of given) {
    const [name = '', inner = ''] = parts
    const isKnown = name === 'source' ? parts.length === 2 && OF_SOURCE.includes(inner) : fields.includes(name)
    if (!isKnown) throw unknownPath(path, allowed)
  }
}

function exampleOf({ user, call }: Wanted) {
  const { teamId, userId, clientUserId } = user
  return { teamId, userId, clientUserId, compatibilityDate: call.compatibilityDate }
}

function isSame(a: Item, b: Item): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

async function push({ engine, user, call }: Wanted, value: Item): Promise<void> {
  const { body } = await storePushed(engine, user, [{ value, loc: ['body', 'set', 'data'] }], call)
  if (body.dropped > 0) throw cannot("The time is outside the user's ingestion bounds.", 'Name another --at.')
}
