/**
 * Cycles of WHOOP as activity summaries. A cycle lasts from one sleep to the next, so its energy is not that of a calendar day, and there
 * are no samples of it.
 */
import { DAY_MS, type EpochMs, HOUR_MS, type IsoDate, parseDate } from '../../../core/time.ts'
import type { ProviderRecord, PulledPage, PullRequest } from '../../connector.ts'
import type { JsonObject } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import { countUnknown, fieldsOf } from '../field-mapping.ts'
import { deletedRecord, type PullContext, pageOf, pullContext, RecordDraft, versionOf } from '../record-draft.ts'
import { activityDocument } from '../summary-documents.ts'
import { CYCLE, KNOWN } from './mapping.ts'
import { localDate, timeOf } from './record-time.ts'
import { all, isGranted, one, pages } from './requests.ts'
import { SLEEPS, scored } from './sleep.ts'

const CYCLES = '/v2/cycle'
/** A cycle without a sleep that begins before noon belongs to that day. */
const TO_WAKING_MS = 12 * HOUR_MS

interface Waking {
  readonly at: EpochMs
  readonly date: IsoDate
}

/** Yields cycles, each as the activity of the day on which its sleep ended. */
export async function* pullCycles(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const context = pullContext('whoop_v2', asked)
  const seesSleep = isGranted(session, 'read:sleep')
  if (asked.recordId !== undefined) {
    const path = `${CYCLES}/${encodeURIComponent(asked.recordId)}`
    const cycle = await one(session, path)
    const sleep = cycle !== null && seesSleep ? await one(session, `${path}/sleep`) : null
    const record =
      cycle === null ? deletedRecord(asked.recordId) : cycleRecord(context, cycle, wakings(sleep ? [sleep] : []))
    yield pageOf(context, [record])
    return
  }
  const { from, to } = asked.window
  const around = { from: from - DAY_MS, to: to + DAY_MS }
  const wakingOf = wakings(seesSleep ? await all(session, SLEEPS, around) : [])
  for await (const page of pages(session, CYCLES, asked.window)) {
    const records = []
    for (const each of page) {
      // a long cycle may have begun with a sleep before all those that were read
      const isOlder = seesSleep && (timeOf(each)?.start ?? around.from) < around.from
      const sleep = isOlder ? await one(session, `${CYCLES}/${encodeURIComponent(String(each['id']))}/sleep`) : null
      records.push(cycleRecord(context, each, sleep === null ? wakingOf : wakings([sleep])))
    }
    yield pageOf(context, records)
  }
}

/** Returns the end of the main sleep of each cycle. */
function wakings(sleeps: readonly JsonObject[]): ReadonlyMap<string, Waking> {
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

function cycleRecord(
  context: PullContext,
  cycle: JsonObject,
  wakingOf: ReadonlyMap<string, Waking>,
): ProviderRecord | null {
  const time = timeOf(cycle)
  const number = cycle['id']
  if (time === null || (typeof number !== 'number' && typeof number !== 'string')) {
    context.unmapped.count('cycle without id or times')
    return null
  }
  const id = String(number)
  const { start, offset } = time
  const date = wakingOf.get(id)?.date ?? localDate(start + TO_WAKING_MS, offset)
  const draft = new RecordDraft(context, id)
  draft.summary({
    kind: 'activity',
    sourceType: 'watch',
    at: parseDate(date) ?? start,
    date,
    offset,
    document: activityDocument(date, offset, fieldsOf('activity', scored(cycle), CYCLE)),
  })
  countUnknown(cycle, 'cycle', KNOWN.cycle, context.unmapped)
  return draft.finish(versionOf(cycle, date))
}
