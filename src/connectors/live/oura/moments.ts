/** Reads what people do and write down in Oura's app: sessions such as a meditation, and tags. */
import { MINUTE_MS } from '../../../core/time.ts'
import { asText } from '../../files/json/fields.ts'
import { readTime } from '../../files/records/time.ts'
import type { OuraDocument } from './document.ts'
import { addReadings } from './series.ts'
import { MINDFUL_TYPES, SESSION_HEART_RATE } from './tables.ts'

const KNOWN_SESSION = new Set<string>([
  // `heart_rate_variability` is left out: which measure it is of, every few seconds, is not documented
  ...['id', 'day', 'start_datetime', 'end_datetime', 'type', SESSION_HEART_RATE.field],
])
const KNOWN_TAG = new Set<string>([
  ...['id', 'start_day', 'end_day', 'start_time', 'end_time'],
  ...['tag_type_code', 'custom_name', 'comment'],
])

/** `hasHeartRate`: the collection `heartrate`, which has the readings of sessions too, is pulled. */
export function readSession(document: OuraDocument, hasHeartRate: boolean): void {
  const { page, fields, sourceType, asked } = document
  const start = readTime(fields['start_datetime'], asked.timeZone)
  const end = readTime(fields['end_datetime'], asked.timeZone)
  if (start === undefined || end === undefined || end.ms < start.ms) {
    page.skip('session (without times)')
    return
  }
  const type = asText(fields['type']) ?? ''
  const record = document.record(...(hasHeartRate ? [] : [SESSION_HEART_RATE.field]))
  if (MINDFUL_TYPES.includes(type)) {
    const value = (end.ms - start.ms) / MINUTE_MS
    record.samples.add(
      {
        resource: 'mindfulness_minutes',
        sourceType,
        start: start.ms,
        end: end.ms,
        offset: start.offset,
        value,
        text: { type },
      },
      'session',
    )
  } else page.skip(`session (type ${type})`)
  if (!hasHeartRate) addReadings(document, record, 'session', SESSION_HEART_RATE)
  page.skipOthers(fields, KNOWN_SESSION, 'session')
}

export function readTag(document: OuraDocument): void {
  const { page, fields, asked } = document
  const start = readTime(fields['start_time'], asked.timeZone)
  const end = readTime(fields['end_time'], asked.timeZone) ?? start
  const code = asText(fields['tag_type_code']) ?? null
  const content = [asText(fields['custom_name']) || wordsOf(code), asText(fields['comment'])]
    .filter(part => part)
    .join(': ')
  page.skipOthers(fields, KNOWN_TAG, 'enhanced_tag')
  if (start === undefined || end === undefined || content === '') {
    page.skip('enhanced_tag (without a time or a text)')
    return
  }
  const sample = {
    resource: 'note',
    type: code,
    // people enter tags in the app
    sourceType: 'app',
    start: start.ms,
    end: Math.max(start.ms, end.ms),
    offset: start.offset,
    value: 0,
    text: { content: content.slice(0, MOST_CHARACTERS) },
  }
  document.record().samples.add(sample, 'enhanced_tag')
}

const MOST_CHARACTERS = 65_536

/** Returns a code in words: `caffeine` for `tag_generic_caffeine`; '' for a tag that has a name or a text instead. */
function wordsOf(code: string | null): string {
  if (code === null || code === 'custom') return ''
  return code.replace(/^tag_(?:generic_|sleep_)?/, '').replaceAll('_', ' ')
}
