/** What a query returned: its results as charts and tables, with downloads, or the explanation of its results. */
import type { ResponseOf } from '../../api/call.ts'
import { Button } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { Card } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { ExplainView } from './explain-view.tsx'
import type { Batch, NamedColumns } from './query-model.ts'
import { Results } from './results.tsx'
import type { QueryWarning } from './warnings.tsx'

interface Answer {
  readonly results: ResponseOf<'aggregate.query'>['results']
  readonly warnings: readonly QueryWarning[]
}

/** `body` is the request that produced it, about the user. */
export type QueryOutcome =
  | { readonly kind: 'answer'; readonly userId: string; readonly body: Batch; readonly response: Answer }
  | { readonly kind: 'explanation'; readonly body: Batch; readonly explanation: ResponseOf<'aggregate.explain'> }

interface OutcomeViewProps {
  /** Null before the first run. */
  readonly outcome: QueryOutcome | null
  readonly columns: NamedColumns
  readonly isDownloading: boolean
  readonly onDownload: (format: 'csv' | 'parquet') => void
}

/** Parts of a result, each with the other one, which is shown alone if the part is hidden. */
const PARTS = [
  { part: 'chart', label: 'Chart', other: 'table' },
  { part: 'table', label: 'Table', other: 'chart' },
] as const

export function OutcomeView({ outcome, columns, isDownloading, onDownload }: OutcomeViewProps) {
  const { query, change } = useUrlState()
  if (outcome === null) {
    return (
      <Card title="Result">
        <Empty title="No result yet">Run the query to see a chart and a table.</Empty>
      </Card>
    )
  }
  const { body } = outcome
  if (outcome.kind === 'explanation') return <ExplainView explanation={outcome.explanation} queries={body.queries} />
  const { results, warnings } = outcome.response
  const shown = PARTS.find(({ part }) => part === query['show'])?.part ?? 'both'
  return (
    <>
      <div class="row">
        {PARTS.map(({ part, label, other }) => (
          <Field
            key={part}
            type="check"
            label={label}
            value={shown !== other}
            onChange={isOn => change({ show: isOn ? null : other })}
          />
        ))}
        <Button isSmall isBusy={isDownloading} onClick={() => onDownload('csv')}>
          Download CSV
        </Button>
        <Button isSmall isBusy={isDownloading} onClick={() => onDownload('parquet')}>
          Download Parquet
        </Button>
      </div>
      {results.map(({ table }, index) => (
        <Results
          key={index}
          {...{ table, columns, shown }}
          warnings={warnings.filter(each => each.query === index)}
          query={body.queries[index]}
          userId={body.config ? undefined : outcome.userId}
          title={results.length === 1 ? 'Result' : `Result of query ${index + 1}`}
        />
      ))}
    </>
  )
}
