/** A chart's sources, with their colors, the preferred source, and switches to hide them. */
import { useLoad } from '../../../api/use-call.ts'
import { Badge } from '../../../parts/small.tsx'
import { sourceText } from '../resources.ts'
import type { SourceSeries } from './raw.ts'

interface LegendProps {
  readonly series: readonly SourceSeries[]
  readonly hidden: readonly string[]
  readonly onHide: (key: string, isHidden: boolean) => void
  readonly preferred: string | null
}

export function Legend({ series, hidden, onHide, preferred }: LegendProps) {
  const priorities = useLoad('source_priority.list', { query: { data_type: 'timeseries' } })
  return (
    <fieldset class="data-legend">
      <legend class="visually-hidden">Sources to draw</legend>
      {series.map(each => {
        const rank = priorities.data?.find(
          row => row.provider === each.provider && (row.source_type === null || row.source_type === each.sourceType),
        )
        const isPreferred = preferred === sourceText({ provider: each.provider, type: each.sourceType })
        return (
          <label key={each.key} class="data-legend-entry">
            <input
              type="checkbox"
              checked={!hidden.includes(each.key)}
              onChange={event => onHide(each.key, !event.currentTarget.checked)}
            />
            <span class={`chart-key chart-key-${each.color}`} />
            <span>{each.label}</span>
            {isPreferred && <Badge tone="accent">Preferred by queries</Badge>}
            {rank && <Badge>Team priority {rank.priority}</Badge>}
          </label>
        )
      })}
    </fieldset>
  )
}
