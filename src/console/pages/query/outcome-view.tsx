/** What a query returned: its results as charts and tables, with downloads, or the explanation of its results. */
import { Fragment } from 'preact'
import type { ResponseOf } from '../../api/call.ts'
import { Button } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { Card, Facts } from '../../parts/page.tsx'
import { Badge } from '../../parts/small.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, count, Table } from '../../parts/table.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import type { Batch, NamedColumns } from './query-model.ts'
import { groupOf, ResultCell } from './result-cell.tsx'
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

type Explained = ResponseOf<'aggregate.explain'>['results'][number]
type Group = Explained['groups'][number]
type Read = Explained['reads'][number]

/** Maximum number of groups to show. More would be unreadable. */
const MOST_GROUPS = 200

interface ExplainViewProps {
  readonly explanation: ResponseOf<'aggregate.explain'>
  /** The explained queries, as JSON. */
  readonly queries: Batch['queries']
}

/** Explains a query's result: which source each row used, and why the others were not used. */
function ExplainView({ explanation, queries }: ExplainViewProps) {
  return (
    <>
      {explanation.results.map((result, index) => (
        <ExplainedQuery
          key={`${index} ${result.table}`}
          result={result}
          query={queries[index]}
          title={queryTitle(explanation.results.length, index)}
        />
      ))}
    </>
  )
}

function queryTitle(queries: number, index: number): string {
  return queries === 1 ? 'Explanation' : `Explanation of query ${index + 1}`
}

type QueryOf = Batch['queries'][number] | undefined

function ExplainedQuery(of: { readonly result: Explained; readonly query: QueryOf; readonly title: string }) {
  const { result, query, title } = of
  const { window, reads, groups, stages } = result
  const shown = groups.slice(0, MOST_GROUPS)
  return (
    <>
      <Card title={title}>
        <Facts
          rows={[
            ['Table', result.table],
            [
              'Window',
              <>
                <ResultCell cell={window.from} {...PLAIN} /> to <ResultCell cell={window.to} {...PLAIN} />, local time
              </>,
            ],
            [
              'Read',
              `${count(reads.reduce((sum, read) => sum + read.rows, 0))} rows of ${count(reads.length)} sources`,
            ],
            ['Time', stages.map(({ stage, milliseconds }) => `${stage} ${milliseconds.toFixed(1)} ms`).join(', ')],
          ]}
        />
      </Card>
      <Card title="Sources that were read" isFlush>
        {reads.length === 0 ? (
          <Empty title="Nothing was read">The user has no data for this query in the window.</Empty>
        ) : (
          <Table
            label="Sources that were read"
            columns={READ_COLUMNS}
            rows={reads}
            rowKey={read => JSON.stringify(read)}
          />
        )}
      </Card>
      <Card
        title={`Which source won, and why${groups.length > MOST_GROUPS ? ` (first ${MOST_GROUPS} groups)` : ''}`}
        isFlush
      >
        {shown.length === 0 ? (
          <Empty title="No groups">The result has no rows.</Empty>
        ) : (
          <Table
            label="Groups"
            columns={groupColumns(query)}
            rows={shown}
            rowKey={group => JSON.stringify(group.key)}
          />
        )}
      </Card>
    </>
  )
}

const READ_COLUMNS: readonly Column<Read>[] = [
  { title: 'Source', cell: read => sourceText(read) },
  { title: 'Resource', cell: read => [read.resource, read.type].filter(Boolean).join(', ') },
  { title: 'Rows', cell: read => count(read.rows), isNumber: true },
  { title: 'Chunks', cell: read => count(read.chunks), isNumber: true },
  { title: 'Bytes', cell: read => count(read.bytes), isNumber: true },
]

/** Of a cell that stands alone. */
const PLAIN = { group: null, known: 'nothing' } as const

/** Returns the columns of the groups. If a query has an inner query, the groups are those of the inner one. */
const groupColumns = (query: QueryOf): readonly Column<Group>[] => [
  {
    title: 'Group',
    cell: ({ key }) =>
      Object.keys(key).length === 0
        ? 'all rows'
        : Object.entries(key).map(([name, cell], i) => (
            <Fragment key={name}>
              {i > 0 && ', '}
              {cell === null ? (
                'none'
              ) : (
                <ResultCell {...PLAIN} {...{ cell, group: groupOf(name, query?.from?.query ?? query) }} />
              )}
            </Fragment>
          )),
  },
  {
    title: 'Sources',
    cell: group =>
      group.sources.map(source => (
        <div class="row" key={`${source.provider} ${source.source_type} ${source.resource}`}>
          <Badge tone={source.used ? 'good' : 'neutral'}>{source.used ? 'used' : 'not used'}</Badge>
          <strong>{sourceText(source)}</strong>
          <span class="soft">
            {count(source.rows)} rows; {source.share ? `${(source.share * 100).toFixed(0)} % of the result; ` : ''}
            {source.reason}
          </span>
        </div>
      )),
  },
  { title: 'Rows used', cell: group => count(group.rows_used), isNumber: true },
  { title: 'Rows dropped', cell: group => count(group.rows_dropped), isNumber: true },
]

function sourceText({ provider, source_type }: { readonly provider: string; readonly source_type: string }): string {
  return `${provider}, ${source_type}`
}
