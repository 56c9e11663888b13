/** Keeps the page's state in its URL, so that a link opens the same view. */
import { useCallback } from 'preact/hooks'
import { useChosenUser } from '../../api/chosen-user.ts'
import type { View } from '../../parts/chart/series.ts'
import { floatingFrom, floatingText } from '../../parts/floating.ts'
import { useUrlState } from '../../shell/url-state.ts'

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

/** Props of a view of one resource in a time range. */
export interface ItemViewProps extends ContentProps {
  readonly userId: string
  readonly view: View
}

export const PERIODS = [7, 30, 90] as const
const DEFAULT_DAYS = 7
/** Separates names of sources and resources, which never contain it. */
const SEPARATOR = '|'
const ALL_SOURCES = 'all'

/** Returns the state from the URL, and a function that changes part of it. With `isNewEntry`, Back returns to the previous state. */
export function useDataState() {
  const { query, change: changeUrl } = useUrlState()
  const start = floatingFrom(query['start'])
  const end = floatingFrom(query['end'])
  const days = Number(query['days'])
  const state: DataState = {
    user: useChosenUser(),
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
  const change = useCallback(
    (part: Partial<DataState>, isNewEntry = true): void => changeUrl(toQuery(part), isNewEntry),
    [changeUrl],
  )
  return { state, change }
}

/** Returns the parts of the URL for a part of the state. Defaults are not in the URL. */
function toQuery({ days, custom, hidden, beside, isMerged, ...others }: Partial<DataState>) {
  return {
    ...others,
    ...(custom === undefined
      ? {}
      : { start: custom && floatingText(custom.from), end: custom && floatingText(custom.to) }),
    ...(days === undefined && !custom ? {} : { days: custom || days === DEFAULT_DAYS ? null : days }),
    ...(hidden && { hide: hidden.join(SEPARATOR) }),
    ...(beside && { with: beside.join(SEPARATOR) }),
    ...(isMerged === undefined ? {} : { sources: isMerged ? null : ALL_SOURCES }),
  }
}

/** The period before that of the page. */
export const BEFORE = 'before'

/** Returns the start of the other period of a comparison; null if the page compares nothing. */
export function comparedStart({ compare }: DataState, { from, to }: View): number | null {
  return compare === BEFORE ? from - (to - from) : floatingFrom(compare ?? undefined)
}
