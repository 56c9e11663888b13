/** Nights of Polar: sleep, nightly recharge and skin temperature of one date are one record. */
import { DAY_MS, formatDate, HOUR_MS, parseDate, SECOND_MS } from '../../../core/time.ts'
import type { ProviderRecord, PulledPage, PullRequest } from '../../connector.ts'
import { asNumber, asObject, asText, type JsonObject } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import { countUnknown, fieldsOf, samplesOf } from '../field-mapping.ts'
import { deletedRecord, type PullContext, pageOf, pullContext, RecordDraft, versionOf } from '../record-draft.ts'
import { type SleepSpan, sleepCycleDocument, sleepDocument } from '../summary-documents.ts'
import { stagesOf } from './hypnogram.ts'
import { CLOCK_SAMPLES, KNOWN, NIGHT, RECHARGE, SKIN_TEMPERATURE } from './mapping.ts'
import { datesOf, read, readIfAny, recordsIn } from './requests.ts'
import { inNight, LocalTimes, type PlacedTime, timeOfDayMs } from './times.ts'

const SOURCE = 'watch'
const SLEEP = '/v3/users/sleep'
const RECHARGES = '/v3/users/nightly-recharge'
const SKIN = '/v3/users/biosensing/skintemperature'
/** Polar keeps 28 nights; these have at most 28 dates in any zone. */
const KEPT_MS = 25 * DAY_MS
/** A night without known times is thought to begin at six in the evening: its times of day follow. */
const EVENING_MS = -6 * HOUR_MS

interface Parts {
  readonly night?: JsonObject
  readonly recharge?: JsonObject
  readonly skin?: JsonObject
}

/**
 * Yields the nights that Polar still has, whatever the window: a watch may bring one late. All three lists cover the same dates, so that a
 * night does not lose a part when it gets older.
 */
export async function* pullNights(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const context = pullContext('polar', asked)
  const { recordId, now } = asked
  const dates = recordId === undefined ? datesOf({ from: now - KEPT_MS, to: now }) : { from: recordId, to: recordId }
  const found = new Map<string, Parts>()
  const collect = (name: keyof Parts, records: readonly JsonObject[], key: string): void => {
    for (const each of records) {
      const date = asText(each[key])
      if (date === undefined || parseDate(date) === undefined) context.unmapped.count(`${name} without date`)
      else if (dates.from <= date) found.set(date, { ...found.get(date), [name]: each })
    }
  }
  const listed = (path: string): Promise<unknown> =>
    recordId === undefined ? read(session, path) : readIfAny(session, `${path}/${encodeURIComponent(recordId)}`)
  collect('night', recordsIn(await listed(SLEEP), 'nights', 'date'), 'date')
  collect('recharge', recordsIn(await listed(RECHARGES), 'recharges', 'date'), 'date')
  collect('skin', recordsIn(await readIfAny(session, SKIN, dates), 'skin_temperatures', 'sleep_date'), 'sleep_date')
  const times = new LocalTimes([], asked.timeZone)
  const records = [...found].map(([date, parts]) => nightRecord(context, date, parts, times))
  const isGone = recordId !== undefined && !found.has(recordId)
  yield pageOf(context, isGone ? [...records, deletedRecord(recordId)] : records)
}

function nightRecord(context: PullContext, date: string, parts: Parts, times: LocalTimes): ProviderRecord {
  const { night, recharge, skin } = parts
  const { unmapped } = context
  const draft = new RecordDraft(context, date)
  const start = times.read(night?.['sleep_start_time'])
  const end = times.read(night?.['sleep_end_time'])
  const hasTimes = start !== undefined && end !== undefined && start.at <= end.at
  if (night !== undefined && !hasTimes) unmapped.count('sleep without times')
  if (night !== undefined && hasTimes) addSleep(draft, context, parts, start, end)
  const from = hasTimes ? start : times.ofLocal((parseDate(date) ?? 0) + EVENING_MS)
  const clocks = [
    ...clockSamples(night, from, CLOCK_SAMPLES.night, context),
    ...clockSamples(recharge, from, CLOCK_SAMPLES.recharge, context),
  ]
  for (const { resource, ...sample } of clocks) draft.sample(resource, SOURCE, sample)
  const atEnd = [...samplesOf(recharge, RECHARGE), ...samplesOf(skin, SKIN_TEMPERATURE)]
  for (const [resource, value] of atEnd) {
    // the mean is in the samples already
    if (clocks.some(each => each.resource === resource)) continue
    if (!hasTimes) unmapped.count(`${resource} of a night without times`)
    else {
      const text = resource.startsWith('body_temperature') ? { type: 'skin' } : {}
      draft.sample(resource, SOURCE, { start: end.at, value, offset: end.offset, text })
    }
  }
  if (night) countUnknown(night, 'sleep', KNOWN.night, unmapped)
  if (recharge) countUnknown(recharge, 'nightly_recharge', KNOWN.recharge, unmapped)
  if (skin) countUnknown(skin, 'skintemperature', KNOWN.skin, unmapped)
  return draft.finish(versionOf(night, recharge, skin, from.offset))
}

function addSleep(
  draft: RecordDraft,
  { unmapped }: PullContext,
  { night, recharge, skin }: Parts,
  start: PlacedTime,
  end: PlacedTime,
): void {
  const date = formatDate(end.at + (end.offset ?? 0) * SECOND_MS)
  const span: SleepSpan = { start: start.at, end: end.at, date, offset: end.offset, isNap: false }
  const filled = fieldsOf('sleep', night, NIGHT)
  const { light = 0, deep = 0, rem = 0 } = filled
  const total = light + deep + rem + (asNumber(night?.['unrecognized_sleep_stage']) ?? 0)
  const inBed = (end.at - start.at) / SECOND_MS
  const place = { sourceType: SOURCE, at: end.at, date, offset: end.offset }
  draft.summary({
    kind: 'sleep',
    ...place,
    document: sleepDocument(span, {
      ...filled,
      total,
      efficiency: total > 0 && total <= inBed ? Math.round((total / inBed) * 10_000) / 100 : null,
      ...fieldsOf('sleep', recharge, RECHARGE),
      ...fieldsOf('sleep', skin, SKIN_TEMPERATURE),
    }),
  })
  const stages = stagesOf(night?.['hypnogram'], start, end.at, unmapped)
  if (stages.length === 0) return
  const source = { sleepId: draft.summaryId('sleep'), provider: 'polar', sourceType: SOURCE }
  draft.summary({ kind: 'sleep_cycle', ...place, document: sleepCycleDocument(span, source, stages) })
}

interface ClockSample {
  readonly resource: string
  readonly start: number
  readonly value: number
  readonly offset: number | null
}

/** Returns the samples of the fields that hold values by time of day. */
function clockSamples(
  record: JsonObject | undefined,
  from: PlacedTime,
  fields: Readonly<Record<string, string>>,
  { unmapped }: PullContext,
): readonly ClockSample[] {
  const samples: ClockSample[] = []
  for (const [field, resource] of Object.entries(fields)) {
    for (const [key, each] of Object.entries(asObject(record?.[field]) ?? {})) {
      const clock = timeOfDayMs(key)
      const value = asNumber(each)
      // 0 stands for no reading
      if (clock === undefined || value === undefined || value <= 0) unmapped.count(field)
      else samples.push({ resource, start: inNight(from, clock), value, offset: from.offset })
    }
  }
  return samples.sort((a, b) => a.start - b.start)
}
