/** Keeps the page's state in its URL, so that a link opens the same view. */
import { useCallback } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { useChosenUser } from '../../api/chosen-user.ts'
import type { View } from '../../parts/chart/series.ts'
import { floatingFrom, floatingText } from '../../parts/floating.ts'

export interface DataState {
  readonly user: string | null
  readonly resource: string | null
  /** Number of days in the time range, which ends with the newest data. `custom` takes precedence. */
  readonly days: number
  readonly custom: View | null
  /** The night or workout that is open. */
  readonly item: string | null
  /** The summary field that is drawn. */
  readonly field: string | null
  /** Series keys of hidden sources. */
  readonly hidden: readonly string[]
  /** Names of the resources that are shown below the resource. */
  readonly beside: readonly string[]
  /** The other period of a comparison: `before`, or its start; null if the page compares nothing. */
  readonly compare: string | null
  /** Whether several sources are merged; false to show what each of them stored. */
  readonly isMerged: boolean
}

/** Props of every view of the page. */
export interface ContentProps {
  readonly state: DataState
  readonly onChange: (part: Partial<DataState>, isNewEntry?: boolean) => void
  /** The user's fallback time zone. */
  readonly zone: string | null
}

export const PERIODS = [7, 30, 90] as const
const DEFAULT_DAYS = 7
/** Separates names of sources and resources, which never contain it. */
const SEPARATOR = '|'
const ALL_SOURCES = 'all'

/** Returns the state from the URL, and a function that changes part of it. With `isNewEntry`, Back returns to the previous state. */
export function useDataState() {
  const { path, query, route } = useLocation()
  const user = useChosenUser()
  const start = floatingFrom(query['start'])
  const end = floatingFrom(query['end'])
  const days = Number(query['days'])
  const state: DataState = {
    user,
    resource: query['resource'] || null,
    days: PERIODS.find(each => each === days) ?? DEFAULT_DAYS,
    custom: start !== null && end !== null && end > start ? { from: start, to: end } : null,
    item: query['item'] || null,
    field: query['field'] || null,
    hidden: query['hide'] ? query['hide'].split(SEPARATOR) : [],
    compare: query['compare'] || null,
    beside: query['with'] ? query['with'].split(SEPARATOR) : [],
    isMerged: query['sources'] !== ALL_SOURCES,
  }
  const text = JSON.stringify(state)
  const change = useCallback(
    (part: Partial<DataState>, isNewEntry = true): void => {
      const next = { ...(JSON.parse(text) as DataState), ...part } // written from a view of this type
      route(`${path}${buildSearch(next)}`, !isNewEntry)
    },
    [path, route, text],
  )
  return { state, change }
}

/** The period before that of the page. */
export const BEFORE = 'before'

/** Returns the start of the other period of a comparison; null if the page compares nothing. */
export function comparedStart({ compare }: DataState, { from, to }: View): number | null {
  return compare === BEFORE ? from - (to - from) : floatingFrom(compare ?? undefined)
}

function buildSearch({
  user,
  resource,
  days,
  custom,
  item,
  field,
  hidden,
  beside,
  compare,
  isMerged,
}: DataState): string {
  const search = new URLSearchParams()
  if (user !== null) search.set('user', user)
  if (resource !== null) search.set('resource', resource)
  if (custom !== null) {
    search.set('start', floatingText(custom.from))
    search.set('end', floatingText(custom.to))
  } else if (days !== DEFAULT_DAYS) search.set('days', String(days))
  if (item !== null) search.set('item', item)
  if (field !== null) search.set('field', field)
  if (hidden.length > 0) search.set('hide', hidden.join(SEPARATOR))
  if (beside.length > 0) search.set('with', beside.join(SEPARATOR))
  if (compare !== null) search.set('compare', compare)
  if (!isMerged) search.set('sources', ALL_SOURCES)
  return `?${search}`
}
