/** Meals, insulin and carbohydrates, shown on a glucose chart. */
import { call, type ResponseOf } from '../../../api/call.ts'
import { useLoader } from '../../../api/use-call.ts'
import { momentText, numberText } from '../../../parts/chart/readout.ts'
import type { Marker, View } from '../../../parts/chart/series.ts'
import { DAY, floatingDate, toFloating } from '../../../parts/floating.ts'
import { Card } from '../../../parts/page.tsx'
import { PagedTable } from '../../../parts/paged-table.tsx'
import type { OwnResource, TimeseriesResource } from '../resources.ts'
import { readSamples } from './raw.ts'

const BESIDE = 'glucose'
/** Longest time range in which markers are shown. In a longer range, they would cover the curve. */
const MOST_DAYS = 62
const MOST_SAMPLES = 5_000
const PER_PAGE = 12
const NONE: readonly Marker[] = []

interface Wanted {
  readonly userId: string
  readonly zone: string | null
  readonly resource: TimeseriesResource
  readonly own: readonly OwnResource[]
}

/** Loads the markers in a time range of at most two months. Only glucose has markers. */
export function useMarkers({ userId, zone, resource, own }: Wanted, view: View) {
  const isShown = resource.resource === BESIDE && view.to - view.from <= MOST_DAYS * DAY
  const days = { from: Math.floor(view.from / DAY) * DAY, to: Math.ceil(view.to / DAY) * DAY }
  const load = useLoader(isShown ? `${userId} ${zone} ${days.from} ${days.to}` : null, async signal => {
    const has = (name: string) => own.find(each => each.name === name)
    const samplesOf = async (name: 'insulin_injection' | 'carbohydrates'): Promise<Marker[]> => {
      const timeseries = has(name)?.timeseries
      if (!timeseries) return []
      const { series } = await readSamples(
        { userId, zone, resource: timeseries, view: days },
        { most: MOST_SAMPLES, isByMark: false },
        signal,
      )
      const kind = name === 'carbohydrates' ? 'carbohydrates' : 'insulin'
      return series.flatMap(each => {
        // provider · source type · type
        const what = kind === 'insulin' ? (each.label.split(' · ')[2] ?? '') : ''
        const text = (value: number) => `${titles[kind]} ${numberText(value)} ${each.unit} ${what}`.trim()
        return Array.from(each.at, (at, i): Marker => ({ at, kind, label: text(each.low[i] ?? 0) }))
      })
    }
    const lists = await Promise.all([
      has('meal') ? loadMeals(userId, zone, days, signal) : [],
      samplesOf('insulin_injection'),
      samplesOf('carbohydrates'),
    ])
    return lists.flat().sort((a, b) => a.at - b.at)
  })
  return { list: load.data ?? NONE, isLoading: load.isLoading }
}

const titles = { meal: 'Meal', insulin: 'Insulin', carbohydrates: 'Carbohydrates' } as const

/** The fields of a meal that a marker needs. */
type Meal = {
  readonly timestamp: string
  readonly name: string
  readonly energy: { readonly value: number; readonly unit: string } | null
  readonly macros: { readonly carbs: number | null } | null
}

async function loadMeals(userId: string, zone: string | null, days: View, signal: AbortSignal): Promise<Marker[]> {
  const response: ResponseOf<'summary.get'> = await call(
    'summary.get',
    {
      params: { resource: 'meal', user_id: userId },
      query: { start_date: floatingDate(days.from), end_date: floatingDate(days.to) },
    },
    { signal },
  )
  const meals = (response['meals'] ?? []) as readonly Meal[] // the common schema of all summaries has no named fields
  return meals.map(({ timestamp, name, energy, macros }) => {
    const parts = [
      `Meal: ${name}`,
      energy && `${numberText(energy.value)} ${energy.unit}`,
      macros?.carbs != null && `${numberText(macros.carbs)} g carbohydrates`,
    ]
    // a meal has no UTC offset
    const at = toFloating(Date.parse(timestamp) / 1000, null, zone)
    return { at, kind: 'meal', label: parts.filter(Boolean).join(', ') }
  })
}

/** The symbols of the markers in a view. */
export function MarkerLegend({ markers, view }: { readonly markers: readonly Marker[]; readonly view: View }) {
  const shown = new Set(markers.filter(({ at }) => at >= view.from && at < view.to).map(({ kind }) => kind))
  if (shown.size === 0) return null
  return (
    <ul class="data-signs" aria-label="Symbols in the chart">
      {[...shown].sort().map(kind => (
        <li key={kind} class={`data-sign data-sign-${kind}`}>
          {titles[kind]}
        </li>
      ))}
    </ul>
  )
}

export function MarkerTable({ markers, view }: { readonly markers: readonly Marker[]; readonly view: View }) {
  const rows = markers.filter(({ at }) => at >= view.from && at < view.to)
  if (rows.length === 0) return null
  return (
    <Card title="Meals and insulin beside the curve" isFlush>
      <PagedTable
        label="Meals and insulin"
        columns={[
          { title: 'Time', cell: ({ at }) => <span class="data-nowrap">{momentText(at)}</span> },
          { title: 'Sign', cell: ({ kind }) => <span class={`data-sign data-sign-${kind}`}>{titles[kind]}</span> },
          { title: 'What', cell: ({ label }) => label },
        ]}
        rows={rows}
        rowKey={({ at, kind, label }) => `${at} ${kind} ${label}`}
        perPage={PER_PAGE}
        noun="meals and doses"
      />
    </Card>
  )
}
