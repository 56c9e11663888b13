/** Reads Polar's nights. Sleep, nightly recharge and skin temperature for the same date form one record. */
import { DAY_MS, type EpochMs, HOUR_MS, localDate, parseDate, SECOND_MS } from '../../../core/time.ts'
import type { PullRequest } from '../../connector.ts'
import type { TokenSession } from '../../provider-session.ts'
import { asNumber, asObject, asText, type JsonObject } from '../../shared/json-fields.ts'
import { type StageSpan, type SummarySource, sleepCycle, sleepSummary, sleepType } from '../../shared/summaries.ts'
import { converted, filled, mappedValues, textOf } from '../field-table.ts'
import type { LivePage, LiveRecordBuilder, LiveSample } from '../page.ts'
import type { RecordView } from '../record-view.ts'
import { contentVersion } from '../windows.ts'
import {
  CLOCK_SAMPLES,
  NIGHT_FIELDS,
  RECHARGE_FIELDS,
  RECHARGE_SAMPLES,
  SKIN_FIELDS,
  SKIN_SAMPLES,
  STAGES,
} from './mapping.ts'
import { datesAsked, getRecords, NIGHTS, type PolarList } from './requests.ts'
import { inNight, LocalTimes, type TimeWithOffset, timeOfDayMs } from './times.ts'

const SOURCE = 'watch'
const RECHARGES: PolarList = { path: '/v3/users/nightly-recharge', name: 'recharges', mark: 'date' }
const SKIN: PolarList = {
  path: '/v3/users/biosensing/skintemperature',
  name: 'skin_temperatures',
  mark: 'sleep_date',
}
/** Time range to request. Polar keeps 28 nights; this range has at most 28 dates in any zone. */
const KEPT_MS = 25 * DAY_MS
/** Assumed start of a night without known times: 18:00, after which all of the night's times of day are placed. */
const EVENING_MS = -6 * HOUR_MS

/** One night's available records. */
export interface PolarNight {
  /** The date; undefined for a part without one. */
  readonly date: string | undefined
  readonly night?: JsonObject
  readonly recharge?: JsonObject
  readonly skin?: JsonObject
}
type Part = Exclude<keyof PolarNight, 'date'>

/**
 * Yields the nights that Polar still has, regardless of the window, because a watch may upload one late. All three lists cover the same
 * dates, so that an ageing night does not lose a part.
 */
export async function* nightPages(session: TokenSession, asked: PullRequest): AsyncGenerator<readonly PolarNight[]> {
  const { recordId, now } = asked
  const dates = datesAsked({ ...asked, window: { from: now - KEPT_MS, to: now } })
  const found = new Map<string, PolarNight>()
  const undated: PolarNight[] = []
  const collect = (part: Part, records: readonly JsonObject[], key: string): void => {
    for (const each of records) {
      const date = asText(each[key])
      if (date === undefined || parseDate(date) === undefined) undated.push({ date: undefined, [part]: each })
      else if (dates.from <= date) found.set(date, { ...found.get(date), date, [part]: each })
    }
  }
  const listed = (list: PolarList): Promise<readonly JsonObject[]> => {
    if (recordId === undefined) return getRecords(session, list)
    return getRecords(session, { ...list, path: `${list.path}/${encodeURIComponent(recordId)}` }, {}, 'is empty')
  }
  collect('night', await listed(NIGHTS), 'date')
  collect('recharge', await listed(RECHARGES), 'date')
  collect('skin', await getRecords(session, SKIN, dates, 'is empty'), 'sleep_date')
  yield [...found.values(), ...undated]
}

/** Adds a night as a record, with its date as the ID. */
export function addNight(parts: PolarNight, page: LivePage): void {
  const { date: recordId, night, recharge, skin } = parts
  if (recordId === undefined) {
    for (const name of Object.keys(parts)) if (name !== 'date') page.skip(`${name} without date`)
    return
  }
  const times = new LocalTimes([], page.asked.timeZone)
  const views = {
    night: night && page.view('sleep', night),
    recharge: recharge && page.view('nightly_recharge', recharge),
    skin: skin && page.view('skintemperature', skin),
  }
  const start = times.read(night?.['sleep_start_time'])
  const end = times.read(night?.['sleep_end_time'])
  const hasTimes = start !== undefined && end !== undefined && start.at <= end.at
  if (night !== undefined && !hasTimes) page.skip('sleep without times')
  const from = hasTimes ? start : times.ofLocal((parseDate(recordId) ?? 0) + EVENING_MS)
  const record = page.record(recordId, contentVersion(night ?? null, recharge ?? null, skin ?? null, from.offset))
  const beats = clockSamples(page, views.night, from, CLOCK_SAMPLES.night)
  if (hasTimes && views.night) {
    const date = localDate(end.at, end.offset)
    const source = page.source(recordId, { sourceType: SOURCE, date, offset: end.offset })
    const bpm = beats.map(each => each.value)
    addSleep(page, record, { ...views, night: views.night, source, start, end, bpm })
  }
  const clocks = [...beats, ...clockSamples(page, views.recharge, from, CLOCK_SAMPLES.recharge)]
  for (const each of clocks) record.samples.add(each, `night ${each.resource}`)
  const means = [...mappedValues(RECHARGE_SAMPLES, views.recharge), ...mappedValues(SKIN_SAMPLES, views.skin)]
  for (const { rule, value } of means) {
    const resource = rule.to
    // the samples already include the mean
    if (clocks.some(each => each.resource === resource)) continue
    if (!hasTimes) {
      page.skip(`${resource} of a night without times`)
      continue
    }
    const sample = { sourceType: SOURCE, start: end.at, value, offset: end.offset, text: textOf(rule) }
    record.samples.add({ resource, ...sample }, `night ${resource}`)
  }
}

interface Sleep {
  readonly source: SummarySource
  readonly night: RecordView
  readonly recharge: RecordView | undefined
  readonly skin: RecordView | undefined
  readonly start: TimeWithOffset
  readonly end: TimeWithOffset
  /** Heart rate readings. */
  readonly bpm: readonly number[]
}

function addSleep(page: LivePage, record: LiveRecordBuilder, sleep: Sleep): void {
  const { source, night, recharge, skin, start, end, bpm } = sleep
  const session = { start: start.at, end: end.at }
  const fields = filled(NIGHT_FIELDS, night)
  const staged = (fields['light'] ?? 0) + (fields['deep'] ?? 0) + (fields['rem'] ?? 0)
  const total = staged + (night.number('unrecognized_sleep_stage') ?? 0)
  const inBed = (end.at - start.at) / SECOND_MS
  const recharged = filled(RECHARGE_FIELDS, recharge)
  const mean =
    bpm.length === 0
      ? null
      : converted(
          { per: bpm.length },
          bpm.reduce((sum, each) => sum + each, 0),
        )
  record.summary(
    sleepSummary(source, session, {
      type: sleepType(end.at - start.at),
      ...fields,
      total,
      efficiency: total > 0 && total <= inBed ? Math.round((total / inBed) * 10_000) / 100 : null,
      ...recharged,
      hr_average: recharged['hr_average'] ?? mean,
      hr_lowest: bpm.length === 0 ? null : bpm.reduce((lowest, each) => Math.min(lowest, each)),
      ...filled(SKIN_FIELDS, skin),
    }),
  )
  const stages = readStages(night.value('hypnogram'), start, end.at, page)
  if (stages.length > 0) record.summary(sleepCycle(source, session, stages))
}

/** Returns the samples in fields that contain values by time of day. */
function clockSamples(
  page: LivePage,
  record: RecordView | undefined,
  from: TimeWithOffset,
  fields: Readonly<Record<string, string>>,
): readonly LiveSample[] {
  const samples: LiveSample[] = []
  for (const [field, resource] of Object.entries(fields)) {
    for (const [key, each] of Object.entries(record?.object(field) ?? {})) {
      const clock = timeOfDayMs(key)
      const value = asNumber(each)
      // 0 means no reading
      if (clock === undefined || value === undefined || value <= 0) page.skip(field)
      else samples.push({ resource, sourceType: SOURCE, start: inNight(from, clock), value, offset: from.offset })
    }
  }
  return samples.sort((a, b) => a.start - b.start)
}

/** Returns a night's stages in order. Each stage lasts until the next one begins; the last stage lasts until the end of the night. */
function readStages(hypnogram: unknown, start: TimeWithOffset, end: EpochMs, page: LivePage): readonly StageSpan[] {
  const begins: { readonly at: EpochMs; readonly stage: number }[] = []
  for (const [key, value] of Object.entries(asObject(hypnogram) ?? {})) {
    const clock = timeOfDayMs(key)
    const stage = Object.hasOwn(STAGES, String(value)) ? STAGES[String(value)] : undefined
    if (clock === undefined || stage === undefined) page.skip('sleep.hypnogram')
    else begins.push({ at: Math.max(start.at, inNight(start, clock)), stage })
  }
  begins.sort((a, b) => a.at - b.at)
  return begins.flatMap(({ at, stage }, i) => {
    const until = Math.min(begins[i + 1]?.at ?? end, end)
    return until > at ? [{ start: at, end: until, stage }] : []
  })
}
