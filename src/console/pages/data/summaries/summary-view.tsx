/** Summaries of any kind: one of their numbers as a chart, and all of them as a table. */
import { useId } from 'preact/hooks'
import { momentText, summaryOf, summaryText } from '../../../parts/chart/readout.ts'
import type { View } from '../../../parts/chart/series.ts'
import { TimeChart } from '../../../parts/chart/time-chart.tsx'
import { SelectField } from '../../../parts/field.tsx'
import { Card, Facts } from '../../../parts/page.tsx'
import { PagedTable } from '../../../parts/paged-table.tsx'
import { Command } from '../../../parts/small.tsx'
import { Empty, Loaded } from '../../../parts/states.tsx'
import type { Column } from '../../../parts/table.tsx'
import type { ContentProps } from '../address.ts'
import { dateOf } from '../floating.ts'
import { sourceText, titleOf } from '../resources.ts'
import { type AnySummary, fieldSeries, floatingIn, plainValues, type SummaryKind, useSummaries } from './summaries.ts'

interface SummaryViewProps extends ContentProps {
  readonly userId: string
  readonly view: View
  /** Name of the resource as the service lists it. */
  readonly resource: string
}

const PER_PAGE = 14

export function SummaryView(props: SummaryViewProps) {
  const { userId, view, resource } = props
  const kind = resource as SummaryKind // the service lists no other resources than its own kinds and timeseries
  const load = useSummaries<AnySummary>(userId, kind, view)
  return (
    <>
      <Loaded load={load} lines={10}>
        {rows => (kind === 'profile' ? <Profile rows={rows} /> : <Drawn {...props} rows={rows} />)}
      </Loaded>
      <SummaryCommand userId={userId} kind={kind} view={view} />
    </>
  )
}

function Profile({ rows }: { readonly rows: readonly AnySummary[] }) {
  return (
    <Card title="Profile">
      <Facts
        rows={rows.flatMap(row => [
          ...[...plainValues(row)].map(([name, value]) => [titleOf(name), String(value)] as const),
          ['Source', sourceText(row.source)] as const,
        ])}
      />
    </Card>
  )
}

interface DrawnProps extends SummaryViewProps {
  readonly rows: readonly AnySummary[]
}

function Drawn({ rows, resource, view, zone, address, onChange }: DrawnProps) {
  const described = useId()
  if (rows.length === 0) {
    return (
      <Card title={titleOf(resource)}>
        <Empty title="Nothing in this period">Choose a longer period.</Empty>
      </Card>
    )
  }
  const values = rows.map(plainValues)
  const fields = [...new Set(values.flatMap(row => [...row.keys()]))]
  const numeric = fields.filter(field => values.some(row => typeof row.get(field) === 'number'))
  const field = numeric.find(each => each === address.field) ?? numeric[0]
  const isDaily = rows.every(row => !row['timestamp'])
  // what a day adds up to is a bar, what was measured on it a line, and what happened on it a dot
  const mark = resource === 'activity' ? 'bars' : isDaily ? 'line' : 'dots'
  const series = field === undefined ? [] : fieldSeries(rows, field, zone, mark)
  const label = `${titleOf(resource)}: ${field}`
  return (
    <>
      {field !== undefined && (
        <Card title={titleOf(resource)}>
          <SelectField
            label="Value to draw"
            value={field}
            onChange={next => onChange({ field: next }, false)}
            options={numeric.map(each => ({ value: each, label: each }))}
          />
          <TimeChart
            label={label}
            describedBy={described}
            series={series}
            view={view}
            onView={next => onChange({ custom: next }, false)}
            {...(address.custom === null ? {} : { onReset: () => onChange({ custom: null }, false) })}
            height={240}
          />
          <ul class="data-summary" id={described}>
            {series.map(each => (
              <li key={each.key} class="data-keyed">
                <span class={`chart-key chart-key-${each.color}`} />
                {summaryText(each.label, each.unit, summaryOf(each, view), isDaily)}
              </li>
            ))}
          </ul>
        </Card>
      )}
      <Card title={`All ${titleOf(resource).toLowerCase()} summaries`} isFlush>
        <PagedTable
          label={`Table of ${titleOf(resource).toLowerCase()}`}
          columns={columnsOf(fields, numeric, zone)}
          rows={rows}
          keyOf={row => row.id}
          perPage={PER_PAGE}
          noun="summaries"
        />
      </Card>
    </>
  )
}

function columnsOf(
  fields: readonly string[],
  numeric: readonly string[],
  zone: string | null,
): readonly Column<AnySummary>[] {
  return [
    { title: 'Date', cell: row => <span class="data-nowrap">{row.calendar_date}</span> },
    { title: 'Source', cell: row => <span class="data-nowrap">{sourceText(row.source)}</span> },
    ...fields.map((field): Column<AnySummary> => {
      const isNumber = numeric.includes(field)
      return { title: field, isNumber, cell: row => <Value row={row} field={field} zone={zone} /> }
    }),
  ]
}

/** A date-time; anything else is shown as it is. */
const INSTANT = /^\d{4}-\d\d-\d\dT/

interface ValueProps {
  readonly row: AnySummary
  readonly field: string
  readonly zone: string | null
}

function Value({ row, field, zone }: ValueProps) {
  const value = plainValues(row).get(field)
  if (typeof value !== 'string' || !INSTANT.test(value)) return <>{String(value ?? '')}</>
  return <span class="data-nowrap">{momentText(floatingIn(row, value, zone))}</span>
}

interface SummaryCommandProps {
  readonly userId: string
  readonly kind: SummaryKind
  readonly view: View
}

/** The same summaries as a command. */
export function SummaryCommand({ userId, kind, view }: SummaryCommandProps) {
  const range = kind === 'profile' ? [] : ['--start', dateOf(view.from), '--end', dateOf(view.to - 1)]
  return <Command words={['svc', 'summary', 'get', userId, kind, ...range]} />
}
