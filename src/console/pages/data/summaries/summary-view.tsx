/** Summaries of any kind, with a chart of one field and a table of all fields. */
import { formatTitle, readableName } from '../../../../catalogue/wording.ts'
import { isSumField } from '../../../../core/chart-rules.ts'
import { momentText, summarizeValues, summaryText } from '../../../parts/chart/readout.ts'
import { markOf, type View } from '../../../parts/chart/series.ts'
import { TimeChart } from '../../../parts/chart/time-chart.tsx'
import { Field } from '../../../parts/field.tsx'
import { floatingDate, floatingFrom } from '../../../parts/floating.ts'
import { Card, Facts } from '../../../parts/page.tsx'
import { PagedTable } from '../../../parts/paged-table.tsx'
import { type Known, knownIn, ONE_DAY, Period } from '../../../parts/period.tsx'
import { Command } from '../../../parts/small.tsx'
import { Empty, Loaded } from '../../../parts/states.tsx'
import type { Column } from '../../../parts/table.tsx'
import type { ContentProps } from '../data-state.ts'
import { sourceText } from '../resources.ts'
import { type AnySummary, fieldSeries, floatingIn, type SummaryKind, useSummaries } from './summaries.ts'
import { columnHead, type ReadValues, type SummaryValue, useReadValues, valueText } from './summary-values.ts'

interface SummaryViewProps extends ContentProps {
  readonly userId: string
  readonly view: View
  /** Resource name in the service's list. */
  readonly resource: string
}

const PER_PAGE = 14

export function SummaryView(props: SummaryViewProps) {
  const { userId, view, resource } = props
  const kind = resource as SummaryKind // the service lists only its own kinds and timeseries as resources
  const load = useSummaries<AnySummary>(userId, kind, view)
  const values = useReadValues(kind)
  return (
    <>
      <Loaded load={values} lines={10}>
        {read => (
          <Loaded load={load} lines={10}>
            {rows =>
              kind === 'profile' ? <Profile rows={rows} read={read} /> : <Drawn {...props} rows={rows} read={read} />
            }
          </Loaded>
        )}
      </Loaded>
      <SummaryCommand userId={userId} kind={kind} view={view} />
    </>
  )
}

interface ReadProps {
  readonly rows: readonly AnySummary[]
  readonly read: ReadValues
}

function Profile({ rows, read }: ReadProps) {
  return (
    <Card title="Profile">
      <Facts
        rows={rows.flatMap(row => [
          ...[...read(row).values()].map(each => [each.name, `${valueText(each)} ${each.unit}`] as const),
          ['Source', sourceText(row.source)] as const,
        ])}
      />
    </Card>
  )
}

function Drawn({ rows, read, resource, view, zone, state, onChange }: SummaryViewProps & ReadProps) {
  if (rows.length === 0) {
    return (
      <Card title={formatTitle(resource)}>
        <Empty title="Nothing in this period">Choose a longer period.</Empty>
      </Card>
    )
  }
  const values = rows.flatMap(row => [...read(row)])
  const fields = new Map(values)
  const numbers = new Map(values.filter(([, { value }]) => typeof value === 'number'))
  const chosen = [...numbers].find(([each]) => each === state.field) ?? [...numbers][0]
  const isDaily = rows.every(row => !row['timestamp'])
  const mark = markOf(chosen !== undefined && isSumField(resource, chosen[0]), isDaily)
  const shape = { mark, ...(isDaily ? { bucket: ONE_DAY } : {}) }
  const numberOf = (row: AnySummary) => chosen && read(row).get(chosen[0])?.value
  const series = chosen ? fieldSeries(rows, { unit: chosen[1].unit, readNumber: numberOf }, zone, shape) : []
  return (
    <>
      {chosen && (
        <Card title={formatTitle(resource)}>
          <Field
            label="Value to draw"
            value={chosen[0]}
            onChange={next => onChange({ field: next }, false)}
            options={[...numbers].map(([each, of]) => ({ value: each, label: columnHead(of) }))}
          />
          <TimeChart
            label={`${formatTitle(resource)}: ${columnHead(chosen[1])}`}
            texts={series.map(each => summaryText(each.label, each.unit, summarizeValues(each, view), each.bucket))}
            series={series}
            view={view}
            onView={next => onChange({ custom: next }, false)}
            {...(state.custom === null ? {} : { onReset: () => onChange({ custom: null }, false) })}
            height={240}
          />
        </Card>
      )}
      <Card
        title={`All ${readableName(resource)} summaries${resource === 'activity' ? ', as each source computed them' : ''}`}
        isFlush
      >
        <PagedTable
          label={`Table of ${readableName(resource)}`}
          columns={summaryColumns(fields, numbers, read, { zone, known: knownIn(view.from, view.to - 1) })}
          rows={rows}
          rowKey={row => row.id}
          perPage={PER_PAGE}
          noun="summaries"
        />
      </Card>
    </>
  )
}

type Fields = ReadonlyMap<string, SummaryValue>

function summaryColumns(
  fields: Fields,
  numbers: Fields,
  read: ReadValues,
  { zone, known }: { readonly zone: string | null; readonly known: Known },
): readonly Column<AnySummary>[] {
  return [
    {
      title: 'Date',
      cell: ({ calendar_date: date = '' }) => {
        const at = floatingFrom(date)
        return at === null ? date : <Period {...{ at, bucket: ONE_DAY, known }} exact={date} />
      },
    },
    { title: 'Source', cell: row => <span class="data-nowrap">{sourceText(row.source)}</span> },
    ...[...fields].map(([field, of]): Column<AnySummary> => {
      const cell = (row: AnySummary) => {
        const shown = read(row).get(field)
        return shown && <Value row={row} shown={shown} zone={zone} />
      }
      return { title: columnHead(of), isNumber: numbers.has(field), cell }
    }),
  ]
}

/** Matches a date-time. Any other text is shown unchanged. */
const INSTANT = /^\d{4}-\d\d-\d\dT/

interface ValueProps {
  readonly row: AnySummary
  readonly shown: SummaryValue
  readonly zone: string | null
}

function Value({ row, shown, zone }: ValueProps) {
  const { value } = shown
  if (typeof value !== 'string' || !INSTANT.test(value)) return <>{valueText(shown)}</>
  return <span class="data-nowrap">{momentText(floatingIn(row, value, zone))}</span>
}

interface SummaryCommandProps {
  readonly userId: string
  readonly kind: SummaryKind
  readonly view: View
}

/** The command that prints the same summaries. */
export function SummaryCommand({ userId, kind, view }: SummaryCommandProps) {
  const range = kind === 'profile' ? [] : ['--start', floatingDate(view.from), '--end', floatingDate(view.to - 1)]
  return <Command words={['svc', 'summary', 'get', userId, kind, ...range]} />
}
