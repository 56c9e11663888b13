/**
 * Cycles of WHOOP as activity summaries. A cycle lasts from one sleep to the next, so its energy is not that of a calendar day, and there
 * are no samples of it.
 */
import { DAY_MS, type EpochMs, HOUR_MS, type IsoDate, localDate } from '../../../core/time.ts'
import type { PulledPage, PullRequest } from '../../connector.ts'
import type { JsonObject } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import { activitySummary } from '../../shared/summaries.ts'
import { filled, hasValue } from '../field-table.ts'
import { LivePage } from '../page.ts'
import { countUnknown } from '../unknown-fields.ts'
import { versionOf } from '../windows.ts'
import { CYCLE_FIELDS, CYCLE_HEART, KNOWN } from './mapping.ts'
import { timeOf } from './record-time.ts'
import { all, isGranted, one, pages } from './requests.ts'
import { PROVIDER, SLEEPS, scored } from './sleep.ts'

const CYCLES = '/v2/cycle'
/** A cycle without a sleep that begins before noon belongs to that day. */
const TO_WAKING_MS = 12 * HOUR_MS

interface Waking {
  readonly at: EpochMs
  readonly date: IsoDate
}

/** By the id of a cycle. */
type Wakings = ReadonlyMap<string, Waking>

/** Yields cycles, each as the activity of the day on which its sleep ended. */
export async function* pullCycles(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const seesSleep = isGranted(session, 'read:sleep')
  const sleepOf = async (id: string): Promise<Wakings> => {
    const sleep = seesSleep ? await one(session, `${CYCLES}/${encodeURIComponent(id)}/sleep`) : null
    return wakings(sleep === null ? [] : [sleep])
  }
  if (asked.recordId !== undefined) {
    const page = new LivePage(PROVIDER, asked)
    const cycle = await one(session, `${CYCLES}/${encodeURIComponent(asked.recordId)}`)
    if (cycle === null) page.gone(asked.recordId)
    else addCycle(page, asked, cycle, await sleepOf(asked.recordId))
    yield page.take()
    return
  }
  const { from, to } = asked.window
  const around = { from: from - DAY_MS, to: to + DAY_MS }
  const wakingOf = wakings(seesSleep ? await all(session, SLEEPS, around) : [])
  for await (const cycles of pages(session, CYCLES, asked.window)) {
    const page = new LivePage(PROVIDER, asked)
    for (const each of cycles) {
      // a long cycle may have begun with a sleep before all those that were read
      const isOlder = (timeOf(each)?.start ?? around.from) < around.from
      addCycle(page, asked, each, isOlder ? await sleepOf(String(each['id'])) : wakingOf)
    }
    yield page.take()
  }
}

/** Returns the end of the main sleep of each cycle. */
function wakings(sleeps: readonly JsonObject[]): Wakings {
  const found = new Map<string, Waking>()
  for (const sleep of sleeps) {
    const time = timeOf(sleep)
    const cycle = String(sleep['cycle_id'])
    if (time?.end == null || sleep['nap'] === true) continue
    const earlier = found.get(cycle)
    // of two, the one that begins the cycle
    if (earlier !== undefined && earlier.at <= time.end) continue
    found.set(cycle, { at: time.end, date: localDate(time.end, time.offset) })
  }
  return found
}

function addCycle(page: LivePage, { userId }: PullRequest, cycle: JsonObject, wakingOf: Wakings): void {
  const time = timeOf(cycle)
  const number = cycle['id']
  if (time === null || (typeof number !== 'number' && typeof number !== 'string')) {
    page.skip('cycle without id or times')
    return
  }
  const id = String(number)
  const { start, offset } = time
  const date = wakingOf.get(id)?.date ?? localDate(start + TO_WAKING_MS, offset)
  const source = { userId, provider: PROVIDER, sourceType: 'watch', recordId: id, date, offset }
  const scoredCycle = scored(cycle)
  const heart = filled(CYCLE_HEART, scoredCycle)
  page.record(id, versionOf(cycle, date)).summary(
    activitySummary(source, {
      ...filled(CYCLE_FIELDS, scoredCycle),
      heart_rate: hasValue(heart) ? { ...NO_HEART_RATE, ...heart } : null,
    }),
  )
  countUnknown(cycle, 'cycle', KNOWN.cycle, page)
}

const NO_HEART_RATE = { min_bpm: null, resting_bpm: null, avg_walking_bpm: null }
