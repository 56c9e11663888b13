/** Nights of Polar: sleep, nightly recharge and skin temperature of one date are one record. */
import { DAY_MS, HOUR_MS, localDate, parseDate, SECOND_MS } from '../../../core/time.ts'
import type { PulledPage, PullRequest } from '../../connector.ts'
import { asNumber, asObject, asText, type JsonObject } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import { type SummarySource, sleepCycle, sleepSummary, sleepType } from '../../shared/summaries.ts'
import { converted, filled, mappedValues } from '../field-table.ts'
import { LivePage, type LiveRecordBuilder, type LiveSample } from '../page.ts'
import { countUnknown } from '../unknown-fields.ts'
import { versionOf } from '../windows.ts'
import { stagesOf } from './hypnogram.ts'
import {
  CLOCK_SAMPLES,
  KNOWN,
  NIGHT_FIELDS,
  RECHARGE_FIELDS,
  RECHARGE_SAMPLES,
  SKIN_FIELDS,
  SKIN_SAMPLES,
} from './mapping.ts'
import { datesOf, PROVIDER, read, readIfAny, recordsIn } from './requests.ts'
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
  const page = new LivePage(PROVIDER, asked)
  const { recordId, now } = asked
  const dates = recordId === undefined ? datesOf({ from: now - KEPT_MS, to: now }) : { from: recordId, to: recordId }
  const found = new Map<string, Parts>()
  const collect = (name: keyof Parts, records: readonly JsonObject[], key: string): void => {
    for (const each of records) {
      const date = asText(each[key])
      if (date === undefined || parseDate(date) === undefined) page.skip(`${name} without date`)
      else if (dates.from <= date) found.set(date, { ...found.get(date), [name]: each })
    }
  }
  const listed = (path: string): Promise<unknown> =>
    recordId === undefined ? read(session, path) : readIfAny(session, `${path}/${encodeURIComponent(recordId)}`)
  collect('night', recordsIn(await listed(SLEEP), 'nights', 'date'), 'date')
  collect('recharge', recordsIn(await listed(RECHARGES), 'recharges', 'date'), 'date')
  collect('skin', recordsIn(await readIfAny(session, SKIN, dates), 'skin_temperatures', 'sleep_date'), 'sleep_date')
  const times = new LocalTimes([], asked.timeZone)
  for (const [date, parts] of found) addNight(page, asked, date, parts, times)
  if (recordId !== undefined && !found.has(recordId)) page.gone(recordId)
  yield page.take()
}

function addNight(page: LivePage, { userId }: PullRequest, recordId: string, parts: Parts, times: LocalTimes): void {
  const { night, recharge, skin } = parts
  const start = times.read(night?.['sleep_start_time'])
  const end = times.read(night?.['sleep_end_time'])
  const hasTimes = start !== undefined && end !== undefined && start.at <= end.at
  if (night !== undefined && !hasTimes) page.skip('sleep without times')
  const from = hasTimes ? start : times.ofLocal((parseDate(recordId) ?? 0) + EVENING_MS)
  const record = page.record(recordId, versionOf(night ?? null, recharge ?? null, skin ?? null, from.offset))
  const beats = clockSamples(page, night, from, CLOCK_SAMPLES.night)
  if (hasTimes && night !== undefined) {
    const date = localDate(end.at, end.offset)
    const source = { userId, provider: PROVIDER, sourceType: SOURCE, recordId, date, offset: end.offset }
    addSleep(page, record, { source, night, recharge, skin, start, end, bpm: beats.map(each => each.value) })
  }
  const clocks = [...beats, ...clockSamples(page, recharge, from, CLOCK_SAMPLES.recharge)]
  for (const each of clocks) record.samples.add(each, `night ${each.resource}`)
  for (const { rule, value } of [...mappedValues(RECHARGE_SAMPLES, recharge), ...mappedValues(SKIN_SAMPLES, skin)]) {
    const resource = rule.to
    // the mean is in the samples already
    if (clocks.some(each => each.resource === resource)) continue
    if (!hasTimes) {
      page.skip(`${resource} of a night without times`)
      continue
    }
    const text = resource.startsWith('body_temperature') ? { type: 'skin' } : {}
    const sample = { sourceType: SOURCE, start: end.at, value, offset: end.offset, text }
    record.samples.add({ resource, ...sample }, `night ${resource}`)
  }
  if (night) countUnknown(night, 'sleep', KNOWN.night, page)
  if (recharge) countUnknown(recharge, 'nightly_recharge', KNOWN.recharge, page)
  if (skin) countUnknown(skin, 'skintemperature', KNOWN.skin, page)
}

interface Sleep extends Parts {
  readonly source: SummarySource
  readonly night: JsonObject
  readonly start: PlacedTime
  readonly end: PlacedTime
  /** Readings of the heart rate. */
  readonly bpm: readonly number[]
}

function addSleep(page: LivePage, record: LiveRecordBuilder, sleep: Sleep): void {
  const { source, night, recharge, skin, start, end, bpm } = sleep
  const session = { start: start.at, end: end.at }
  const fields = filled(NIGHT_FIELDS, night)
  const staged = (fields['light'] ?? 0) + (fields['deep'] ?? 0) + (fields['rem'] ?? 0)
  const total = staged + (asNumber(night['unrecognized_sleep_stage']) ?? 0)
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
  const stages = stagesOf(night['hypnogram'], start, end.at, page)
  if (stages.length > 0) record.summary(sleepCycle(source, session, stages))
}

/** Returns the samples of the fields that hold values by time of day. */
function clockSamples(
  page: LivePage,
  record: JsonObject | undefined,
  from: PlacedTime,
  fields: Readonly<Record<string, string>>,
): readonly LiveSample[] {
  const samples: LiveSample[] = []
  for (const [field, resource] of Object.entries(fields)) {
    for (const [key, each] of Object.entries(asObject(record?.[field]) ?? {})) {
      const clock = timeOfDayMs(key)
      const value = asNumber(each)
      // 0 stands for no reading
      if (clock === undefined || value === undefined || value <= 0) page.skip(field)
      else samples.push({ resource, sourceType: SOURCE, start: inNight(from, clock), value, offset: from.offset })
    }
  }
  return samples.sort((a, b) => a.start - b.start)
}
