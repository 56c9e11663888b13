/** Causes daily summary events: a summary for a day without one, or the newest summary with other values. */
import { resourceEvent } from '../../catalogue/event-types.ts'
import { summaryLine } from '../../connectors/files/items/lines.ts'
import { member } from '../../connectors/shared/json-fields.ts'
import { summaryItem } from '../../contract/readings/summary.ts'
import { ownedId } from '../../core/ids.ts'
import { SUMMARY_KINDS, type SummaryKind } from '../../core/sample.ts'
import {
  DAY_MS,
  type EpochMs,
  formatDate,
  formatInstant,
  type IsoDate,
  readInstant,
  SECOND_MS,
} from '../../core/time.ts'
import { zoneOffset } from '../../core/zones.ts'
import type { StoredSummary } from '../../store/sample.ts'
import { summaryExample } from '../events/examples/summary-examples.ts'
import { type Cause, cannot, type TriggerCause } from './cause.ts'
import { unknownPath, withValue } from './given.ts'
import { isSame, isSourceGiven, parsePushedItem, push, pushChanged, type TriggerItem } from './push.ts'
import { type Source, sourceFor } from './source.ts'

/** Fields that the service fills in itself. */
const OURS: readonly string[] = ['id', 'user_id', 'source', 'created_at', 'updated_at']
const OF_SOURCE: readonly string[] = ['provider', 'type', 'app_id', 'device_id']
/** Maximum number of days to search for one without a summary. */
const MOST_DAYS = 1_500
/** The field to change in each kind of summary if the call does not specify one. */
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
  const usual = exampleItem(wanted, kind, wanted.call.now)
  const source = await sourceFor(wanted, kind, {
    provider: String(usual['provider']),
    sourceType: String(usual['source_type']),
  })
  const add = async (asked: TriggerCause): Promise<void> => {
    for (let i = 0; i < asked.count; i++) await push(asked, await newItem(asked, kind, source))
  }
  if (about?.change !== 'updated') return add(wanted)
  const change = (item: TriggerItem): TriggerItem => changed(wanted, kind, item)
  await pushChanged(wanted, { find: () => newestItems(wanted, kind, source, change), add, changed: change })
}

/**
 * Returns a summary for the given day or time, or for the latest past day without a summary. Throws 409 if there already is a summary for
 * the given time.
 */
export async function newItem(wanted: TriggerCause, kind: SummaryKind, source: Source): Promise<TriggerItem> {
  const { engine, user, call } = wanted
  const named = wanted.at
  let day = (named ?? call.now) - ((named ?? call.now) % DAY_MS)
  // use a day that is over, so that it is complete
  if (named === null) day -= DAY_MS
  for (let i = 0; i < MOST_DAYS; i++, day -= DAY_MS) {
    const item = itemAt(wanted, kind, source, day)
    if (!(await engine.store.summaries.find(user.userId, kind, String(item['id'])))) return item
    if (named !== null) {
      throw cannot(
        `${source.provider} already has such a summary at that time.`,
        'Choose another --at, or trigger the updated event.',
      )
    }
  }
  throw cannot('Every day that was searched already has such a summary.', 'Choose a time with --at.')
}

function itemAt(wanted: TriggerCause, kind: SummaryKind, { provider, sourceType }: Source, day: EpochMs): TriggerItem {
  const { user, given, at } = wanted
  const example = exampleItem(wanted, kind, day + DAY_MS)
  const anchor = dayAnchor(kind, example['document'], day)
  const isTimed = kind === 'workouts' || kind === 'meal' || kind === 'electrocardiogram'
  const shiftMs = isTimed && at !== null && at !== day ? at - anchor : 0
  const document = shifted(example['document'], shiftMs)
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

/** Returns a summary's time (SummaryRecord.at). */
function dayAnchor(kind: SummaryKind, document: unknown, day: EpochMs): EpochMs {
  const name = { sleep: 'bedtime_stop', sleep_cycle: 'session_end', workouts: 'time_start', meal: 'timestamp' }[
    kind as string
  ]
  return readInstant(member(document, name ?? 'session_start')) ?? day
}

/** Returns the document with all of its date-times shifted. */
function shifted(value: unknown, ms: number): unknown {
  if (ms === 0) return value
  if (Array.isArray(value)) return value.map(each => shifted(each, ms))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shifted(each, ms)]))
  }
  const instant = readInstant(value)
  return instant === undefined ? value : formatInstant(instant + ms)
}

/** Returns the newest summaries that `change` would alter. If the call specified a source, returns only that source's summaries. */
async function newestItems(
  wanted: TriggerCause,
  kind: SummaryKind,
  { provider, sourceType }: Source,
  change: (item: TriggerItem) => TriggerItem,
): Promise<readonly TriggerItem[]> {
  const isAny = !isSourceGiven(wanted)
  const held = await heldSummaries(wanted, kind)
  const fitting = held.filter(each => isAny || (each.provider === provider && each.sourceType === sourceType))
  const items = fitting.reverse().map(each => parsePushedItem(summaryLine(each)))
  return items.filter(each => !isSame(change(each), each)).slice(0, wanted.count)
}

/** Returns the summaries in ascending time order. If a day was given, returns only that day's summaries. */
async function heldSummaries(
  { engine, user, call, at }: TriggerCause,
  kind: SummaryKind,
): Promise<readonly StoredSummary[]> {
  const [fromDate, toDate] =
    at === null ? ['1970-01-01', formatDate(call.now + DAY_MS)] : [formatDate(at - DAY_MS), formatDate(at + DAY_MS)]
  const held = await engine.store.summaries.list(user.userId, { kind, provider: null, fromDate, toDate })
  return at === null ? held : held.filter(each => each.date === formatDate(at) || Math.abs(each.at - at) < SECOND_MS)
}

function changed(wanted: TriggerCause, kind: SummaryKind, item: TriggerItem): TriggerItem {
  const { given } = wanted
  if (given.some(each => each.parts[0] !== 'source')) return withGiven(given, item)
  const path = FIGURES[kind]
  const { document } = item
  const before = valueIn(document, path) ?? valueIn(exampleItem(wanted, kind, 0)['document'], path)
  const after = typeof before === 'number' ? Math.round((before + 1) * 100) / 100 : before
  return withGiven(given, { ...item, document: withValue(document, path, after, '') })
}

function valueIn(whole: unknown, path: readonly string[]): unknown {
  // the name of a list item is its index
  return path.reduce<unknown>((value, name) => (value as TriggerItem | null | undefined)?.[name], whole)
}

function withGiven(given: TriggerCause['given'], item: TriggerItem): TriggerItem {
  const fields: Record<string, unknown> = { ...item }
  for (const { parts, value, path } of given) {
    const [name, inner] = parts
    if (name !== 'source') fields['document'] = withValue(fields['document'], parts, value, path)
    else fields[inner === 'type' ? 'source_type' : (inner as string)] = value
  }
  return fields
}

function refusePaths({ given }: TriggerCause, kind: SummaryKind): void {
  const fields = Object.keys(summaryItem(kind).shape).filter(name => !OURS.includes(name))
  const allowed = [...fields, ...OF_SOURCE.map(name => `source.${name}`)].map(name => `data.${name}`)
  for (const { parts, path } of given) {
    const [name = '', inner = ''] = parts
    const isKnown = name === 'source' ? parts.length === 2 && OF_SOURCE.includes(inner) : fields.includes(name)
    if (!isKnown) throw unknownPath(path, allowed)
  }
}

/** Returns an example summary for the user and the day before `at`. */
function exampleItem({ user, call }: TriggerCause, kind: SummaryKind, at: EpochMs): TriggerItem {
  const { teamId, userId, clientUserId } = user
  return summaryExample(kind, 'created', {
    teamId,
    userId,
    clientUserId,
    compatibilityDate: call.compatibilityDate,
    at,
  })
}
