/** A page of charts of saved queries, for one user. Its URL contains the choice, so that a team can share it. */
import { X } from 'lucide'
import { useMemo } from 'preact/hooks'
import { call } from '../../api/call.ts'
import { useChosenUser } from '../../api/chosen-user.ts'
import { useLoad, useLoader } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Fields } from '../../parts/form.tsx'
import { Card, Page, TopicTabs } from '../../parts/page.tsx'
import { Empty, Loaded, Skeleton } from '../../parts/states.tsx'
import { useToday } from '../../parts/time-zone.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { type Batch, type NamedColumns, namedColumns, type Words } from './query-model.ts'
import { Results } from './results.tsx'
import { batchOf, type Saved } from './saved-queries.tsx'

const DAYS = ['7', '30', '90', '365']
/** Slugs never contain it. */
const SEPARATOR = '|'

export default function ChartsPage() {
  const words = useLoad('aggregate.columns', {})
  const saved = useLoad('continuous_query.list', {})
  return (
    <Page title="Charts" about="Saved queries of one user. To share the page, copy its URL.">
      <TopicTabs topic="/console/query" current="/console/query/charts" />
      <Loaded load={words}>
        {known => <Loaded load={saved}>{({ continuous_queries: all }) => <Charts words={known} all={all} />}</Loaded>}
      </Loaded>
    </Page>
  )
}

function Charts({ words, all }: { readonly words: Words; readonly all: readonly Saved[] }) {
  const { query, change } = useUrlState()
  const user = useChosenUser()
  const anchor = useToday()
  const columns = useMemo(() => namedColumns(words), [words])
  const days = DAYS.find(each => each === query['days']) ?? '30'
  const slugs = query['show']?.split(SEPARATOR) ?? []
  const shown = slugs.flatMap(slug => all.find(each => each.slug === slug) ?? [])
  const others = all.filter(each => !slugs.includes(each.slug))
  const show = (next: readonly string[]): void => change({ show: next.join(SEPARATOR) })
  const past = { unit: 'day', value: Number(days) - 1 } as const
  return (
    <>
      <form class="filters" onSubmit={event => event.preventDefault()}>
        <Fields
          of={{
            values: { user: user ?? '', days, add: '' },
            set: ({ add, ...part }) => (add ? show([...slugs, add]) : change(part)),
          }}
          fields={[
            { name: 'user', label: 'User', type: 'user' },
            { name: 'days', label: 'Period', options: DAYS.map(value => ({ value, label: `${value} days` })) },
            others.length > 0 && {
              ...{ name: 'add', label: 'Add a chart of' },
              options: [
                { value: '', label: 'Choose a query' },
                ...others.map(({ slug, title }) => ({ value: slug, label: title })),
              ],
            },
          ]}
        />
      </form>
      {user === null || shown.length === 0 ? (
        <Card title="No charts yet">
          <Empty title={user === null ? 'Choose a user' : 'Add a chart'}>
            {all.length === 0 ? 'Save a query first.' : 'Each saved query is a chart.'}
          </Empty>
        </Card>
      ) : anchor === null ? (
        <Skeleton lines={8} />
      ) : (
        <div class="columns">
          {shown.map(each => (
            <Chart
              key={each.slug}
              {...{ userId: user, saved: each, timeframe: { type: 'relative', anchor, past }, columns }}
              onRemove={() => show(slugs.filter(slug => slug !== each.slug))}
            />
          ))}
        </div>
      )}
    </>
  )
}

interface ChartProps {
  readonly userId: string
  readonly saved: Saved
  readonly timeframe: Batch['timeframe']
  readonly columns: NamedColumns
  readonly onRemove: () => void
}

function Chart({ userId, saved, timeframe, columns, onRemove }: ChartProps) {
  const body = batchOf(saved, timeframe)
  const load = useLoader(`${userId} ${JSON.stringify(body)}`, signal =>
    call('aggregate.query', { params: { user_id: userId }, body }, { signal }),
  )
  const { title } = saved
  const remove = <Button kind="quiet" isSmall icon={X} label={`Remove the chart of ${title}`} onClick={onRemove} />
  const content = (
    <Loaded load={load} lines={8}>
      {({ results: [result] }) => (
        <Results
          {...{ title, query: saved.query, columns }}
          userId={saved.query_config === null ? userId : undefined}
          table={result?.table ?? {}}
          shown="chart"
          actions={remove}
        />
      )}
    </Loaded>
  )
  return load.data ? (
    content
  ) : (
    <Card title={title} actions={remove}>
      {content}
    </Card>
  )
}
