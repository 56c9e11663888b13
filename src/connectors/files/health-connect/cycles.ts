/** Builds the menstrual cycles of a Health Connect export from its periods and the entries between them. */
import { getOrInsert } from '../../../core/maps.ts'
import type { IsoDate } from '../../../core/time.ts'
import { cycleBounds, menstrualCycleSummary } from '../../shared/menstrual-cycle.ts'
import { dateIn } from '../../shared/record-time.ts'
import { summaryOrigin } from '../sqlite/recorded-by.ts'
import { type Reading, type SessionRecord, sessionRecords } from './records.ts'
import { INSTANT, WHOLE_INTERVAL } from './tables.ts'

const PERIODS = 'menstruation_period_record_table'

/** A table with entries: its column with a code, the field of an entry, and the field's values by code. */
interface EntryRule {
  readonly list: string
  readonly column: string | null
  readonly field: string
  readonly values: readonly (string | boolean | null | undefined)[]
}

const ENTRIES: Readonly<Record<string, EntryRule>> = {
  menstruation_flow_record_table: {
    ...{ list: 'menstrual_flow', column: 'flow', field: 'flow' },
    values: ['unspecified', 'light', 'medium', 'heavy'],
  },
  cervical_mucus_record_table: {
    ...{ list: 'cervical_mucus', column: 'appearance', field: 'quality' },
    values: [undefined, 'dry', 'sticky', 'creamy', 'watery', 'egg_white'],
  },
  // 2 is high fertility, which is not the result of one hormone
  ovulation_test_record_table: {
    ...{ list: 'ovulation_test', column: 'result', field: 'test_result' },
    values: ['indeterminate', 'positive', undefined, 'negative'],
  },
  sexual_activity_record_table: {
    ...{ list: 'sexual_activity', column: 'protection_used', field: 'protection_used' },
    values: [null, true, false],
  },
  intermenstrual_bleeding_record_table: { list: 'intermenstrual_bleeding', column: null, field: '', values: [] },
}

/** The tables that `addCycles` reads. */
export const CYCLE_TABLES: readonly string[] = [PERIODS, ...Object.keys(ENTRIES)]

interface Entry extends Pick<SessionRecord, 'start' | 'place'> {
  readonly list: string
  readonly date: IsoDate
  readonly value: Readonly<Record<string, unknown>>
}
type Period = Omit<SessionRecord, 'rows'> & { readonly first: IsoDate; readonly last: IsoDate }

/** The periods and entries of one app. */
interface Diary {
  readonly periods: Period[]
  readonly entries: Entry[]
}

/** Adds each app's cycles. Yields after each table. */
export async function* addCycles(reading: Reading): AsyncGenerator<void> {
  const { importing, tables } = reading
  const { timeZone } = importing.context
  const diaries = new Map<string, Diary>()
  const diaryOf = ({ source }: SessionRecord): Diary =>
    getOrInsert(diaries, source.appId ?? source.key, () => ({ periods: [], entries: [] }))
  const periods = tables.get(PERIODS)
  if (periods !== undefined) {
    for await (const record of sessionRecords(reading, periods, [], WHOLE_INTERVAL)) {
      const { rows: _, ...rest } = record
      const first = dateIn({ ms: rest.start, offset: rest.offset }, timeZone)
      diaryOf(record).periods.push({ ...rest, first, last: dateIn({ ms: rest.end, offset: rest.endOffset }, timeZone) })
    }
  }
  yield
  for (const [name, { list, column, field, values }] of Object.entries(ENTRIES)) {
    const table = tables.get(name)
    if (table === undefined) continue
    for await (const record of sessionRecords(reading, table, column === null ? [] : [column], {
      ...INSTANT,
      endOffset: INSTANT.offset,
    })) {
      const { rows, i, start, offset, place } = record
      const value = column === null ? null : values[rows.numbers(column)[i] ?? Number.NaN]
      const date = dateIn({ ms: start, offset }, timeZone)
      if (value === undefined) importing.skip(`a row of ${name} has a code without a meaning here`, place)
      else diaryOf(record).entries.push({ start, place, list, date, value: column === null ? {} : { [field]: value } })
    }
    yield
  }
  for (const diary of diaries.values()) addDiary(reading, diary)
}

function addDiary(reading: Reading, { periods, entries }: Diary): void {
  const { importing } = reading
  periods.sort((a, b) => a.start - b.start)
  entries.sort((a, b) => a.start - b.start)
  let next = 0
  for (const [index, { id, source, start, offset, first, last }] of periods.entries()) {
    const bounds = cycleBounds(first, periods[index + 1]?.first)
    const lists = new Map<string, Map<IsoDate, object>>()
    for (; next < entries.length; next++) {
      const { list, date, value, place } = entries[next] as Entry
      if (date > bounds.last) break
      const days = getOrInsert(lists, list, () => new Map<IsoDate, object>())
      if (date < first) importing.skip(WITHOUT_PERIOD, place)
      else if (days.has(date)) importing.skip('a second entry of a menstrual cycle on the same day', place)
      else days.set(date, { date, ...value })
    }
    const origin = summaryOrigin(importing, source, id, { ms: start, offset })
    const listed = Object.fromEntries([...lists].map(([list, days]) => [list, [...days.values()]]))
    const summary = menstrualCycleSummary(origin, start, { start: first, end: last }, bounds, listed)
    importing.addItem({ kind: 'summary', summary })
  }
  for (const { place } of entries.slice(next)) importing.skip(WITHOUT_PERIOD, place)
}

const WITHOUT_PERIOD = 'an entry of a menstrual cycle does not follow a period of its app'
