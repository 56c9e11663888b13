/** Reads entries that people make in Oura's app: sessions such as meditations, and tags. */
import { MINUTE_MS } from '../../../core/time.ts'
import type { TokenSession } from '../../provider-session.ts'
import { readTime } from '../../shared/record-time.ts'
import type { OuraDocument } from './document.ts'
import { hasHeartRate } from './heart-rate.ts'
import { addReadings } from './series.ts'
import { MINDFUL_TYPES, SESSION_HEART_RATE } from './tables.ts'

export function readSession(document: OuraDocument, session: TokenSession) {
  const { page, view, sourceType } = document
  const start = readTime(view.value('start_datetime'), page.asked.timeZone)
  const end = readTime(view.value('end_datetime'), page.asked.timeZone)
  if (start === undefined || end === undefined || end.ms < start.ms) return view.leaveOut('(without times)')
  const type = view.text('type') ?? ''
  const hasReadings = hasHeartRate(session)
  const record = document.record(...(hasReadings ? [] : [SESSION_HEART_RATE.field]))
  if (MINDFUL_TYPES.includes(type)) {
    const value = (end.ms - start.ms) / MINUTE_MS
    const times = { start: start.ms, end: end.ms, offset: start.offset }
    record.samples.add({ resource: 'mindfulness_minutes', sourceType, ...times, value, text: { type } }, 'session')
  } else page.skip(`session (type ${type})`)
  // `heart_rate_variability` is omitted, because the statistic that it contains every few seconds is not documented
  addReadings(document, hasReadings ? null : record, 'session', SESSION_HEART_RATE)
}

export function readTag(document: OuraDocument) {
  const { page, view } = document
  const start = readTime(view.value('start_time'), page.asked.timeZone)
  const end = readTime(view.value('end_time'), page.asked.timeZone) ?? start
  const [code = null, name, comment] = ['tag_type_code', 'custom_name', 'comment'].map(field => view.text(field))
  const content = [name || codeWords(code), comment].filter(part => part).join(': ')
  if (start === undefined || end === undefined || content === '') return view.leaveOut('(without a time or a text)')
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

/** Returns a code as text: `caffeine` for `tag_generic_caffeine`; '' for a tag that has a name or a text instead. */
function codeWords(code: string | null): string {
  if (code === null || code === 'custom') return ''
  return code.replace(/^tag_(?:generic_|sleep_)?/, '').replaceAll('_', ' ')
}
