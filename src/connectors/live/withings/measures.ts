/** Reads groups of measures: weight, body composition, blood pressure, temperature and others. */
import { localDate, SECOND_MS } from '../../../core/time.ts'
import { asList, asObject, type JsonObject } from '../../shared/json-fields.ts'
import { bodySummary, profileSummary } from '../../shared/summaries.ts'
import { converted, numberAt, withTexts } from '../field-table.ts'
import type { LivePage } from '../page.ts'
import { contentVersion, isWithin, reachesPresent } from '../windows.ts'
import { readSourceType } from './models.ts'
import { findZone, offsetAt, seconds, toSecondsRange, type WithingsList, type WithingsRow } from './requests.ts'
import { AMBIGUOUS_PERSON, BODY, BY_HAND, DIASTOLIC, HEIGHT, MEASURES, SYSTOLIC, WEIGHT } from './tables.ts'

/** The measure types to request. */
const TYPES: ReadonlySet<number> = new Set([...[...MEASURES, ...BODY].map(each => each.type), ...[SYSTOLIC, DIASTOLIC]])
/** Maximum number of decimals, more than any device reports. */
const MOST_EXPONENT = 15

export const MEASURE_GROUPS: WithingsList = {
  path: '/measure',
  list: 'measuregrps',
  form(asked) {
    const { window } = asked
    // if the window reaches the present, request all changes since its start, because a scale may send old measures late
    const range = reachesPresent(asked) ? { lastupdate: seconds(window.from, 'down') } : toSecondsRange(window)
    return { action: 'getmeas', meastypes: [...TYPES].join(','), category: '1', ...range }
  },
}

/** All heights, regardless of the window. */
export const HEIGHTS: WithingsList = {
  path: '/measure',
  list: 'measuregrps',
  form: () => ({ action: 'getmeas', meastypes: String(HEIGHT), category: '1', lastupdate: '0' }),
}

/** Reads a group. For groups without a time zone, the response contains it. */
export function readGroup({ row: group, body }: WithingsRow, page: LivePage) {
  const id = withTexts(group, 'grpid')?.grpid
  const date = numberAt(group, 'date')
  if (date !== undefined && !reachesPresent(page.asked) && !isWithin(page.asked, date * SECOND_MS)) return
  if (group === undefined || id === undefined || date === undefined) return page.skip('measuregrps (unreadable)')
  const at = date * SECOND_MS
  const attrib = numberAt(group, 'attrib')
  if (attrib === AMBIGUOUS_PERSON) return page.skip('measuregrps (attrib 1, could be of another person)')
  const category = numberAt(group, 'category')
  if (category !== undefined && category !== 1) return page.skip('measuregrps (a goal)')
  const values = readValues(group)
  const zone = findZone(group, body)
  const offset = offsetAt(zone, at)
  const isByHand = attrib !== undefined && BY_HAND.has(attrib)
  const record = page.record(id, contentVersion(group, zone))
  const device = detectDevice(values) ?? readSourceType(group)
  const taken = new Set<string>()
  for (const { type, to, sourceType, marked } of MEASURES) {
    const value = values.get(type)
    if (value === undefined) continue
    // samples of the same resource at the same time would replace each other
    if (taken.has(to)) {
      page.skip(`measure type ${type}`)
      continue
    }
    taken.add(to)
    const from = isByHand ? 'app' : to === 'heartrate' ? (device ?? sourceType) : sourceType
    const text = marked === undefined ? {} : { type: marked }
    record.samples.add({ resource: to, sourceType: from, start: at, value, offset, text }, `measure type ${type}`)
  }
  const [systolic, diastolic] = [values.get(SYSTOLIC), values.get(DIASTOLIC)]
  if (systolic !== undefined && diastolic !== undefined) {
    const sourceType = isByHand ? 'app' : 'cuff'
    const pressure = { resource: 'blood_pressure', sourceType, start: at, value: systolic, second: diastolic, offset }
    record.samples.add(pressure, `measure type ${SYSTOLIC}`)
  } else if (systolic !== undefined || diastolic !== undefined) page.skip('measure type 9 or 10 alone')
  if (BODY.some(({ type }) => values.has(type))) {
    const context = { date: localDate(at, offset), offset, sourceType: isByHand ? 'app' : 'scale' }
    record.summary(bodySummary(page.source(id, context), at, bodyComposition(values)))
  }
  for (const type of values.keys()) if (!TYPES.has(type)) page.skip(`measure type ${type}`)
}

/** Returns a group's device according to its measures. A pulse alone could come from a scale or a cuff. */
function detectDevice(values: ReadonlyMap<number, number>): string | undefined {
  if (values.has(SYSTOLIC)) return 'cuff'
  return values.has(WEIGHT) ? 'scale' : undefined
}

function bodyComposition(values: ReadonlyMap<number, number>): Readonly<Record<string, number>> {
  const weight = values.get(WEIGHT)
  return Object.fromEntries(
    BODY.flatMap(({ type, to, isShare }) => {
      const value = values.get(type)
      if (value === undefined || (isShare && (weight === undefined || weight <= 0))) return []
      return [[to, isShare && weight !== undefined ? Math.round((value / weight) * 10_000) / 100 : value]]
    }),
  )
}

/** Returns a group's measures by type. Withings writes each measure as a whole number and a power of ten. */
function readValues(group: JsonObject): ReadonlyMap<number, number> {
  const values = new Map<number, number>()
  for (const measure of asList(group['measures']).map(asObject)) {
    const [type, value, unit] = [numberAt(measure, 'type'), numberAt(measure, 'value'), numberAt(measure, 'unit')]
    if (type === undefined || value === undefined || unit === undefined || Math.abs(unit) > MOST_EXPONENT) continue
    values.set(type, unit < 0 ? converted({ per: 10 ** -unit }, value) : value * 10 ** unit)
  }
  return values
}

/** Adds the profile, which contains the newest height from all groups. */
export function readHeight(rows: readonly WithingsRow[], page: LivePage): void {
  const heights = rows.flatMap(({ row }) => {
    const [metres, date] = [row && readValues(row).get(HEIGHT), numberAt(row, 'date')]
    const isOfPerson = numberAt(row, 'attrib') !== AMBIGUOUS_PERSON && (numberAt(row, 'category') ?? 1) === 1
    return metres === undefined || date === undefined || !isOfPerson ? [] : [{ metres, at: date * SECOND_MS }]
  })
  const newest = heights.sort((a, b) => b.at - a.at)[0]
  if (newest === undefined) return
  const { metres, at } = newest
  const offset = offsetAt(findZone(rows.at(-1)?.body), at)
  const context = { date: localDate(at, offset), offset, sourceType: 'app' }
  const record = page.record('profile', contentVersion(metres, at))
  const document = { height: converted({ times: 100 }, metres) }
  record.summary(profileSummary(page.source('profile', context), at, document))
}
