/** Summaries of any kind, with a chart of one field and a table of all fields. */
import { formatTitle, readableName } from '../../../../catalogue/wording.ts'
import { isSumField } from '../../../../core/chart-rules.ts'
import { type ApiDocument, loadDocument, type Schema } from '../../../api/api-document.ts'
import { plain, responseSchema } from '../../../api/choices.ts'
import { type Load, useLoader } from '../../../api/use-call.ts'
import { momentText, numberText, summarizeValues, summaryText } from '../../../parts/chart/readout.ts'
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
import type { ItemViewProps } from '../data-state.ts'
import { sourceText } from '../resources.ts'
import { type AnySummary, fieldSeries, floatingIn, type SummaryKind, useSummaries } from './summaries.ts'

interface SummaryViewProps extends ItemViewProps {
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

interface SummaryValue {
  /** Name of the value: "Energy burnt". */
  readonly name: string
  /** Unit; empty if the name includes it, or if there is none. */
  readonly unit: string
  readonly value: string | number | boolean
}

/** Returns the plain values of a summary by path, such as `heart_rate.avg_bpm`. The value of a list is its length. */
type ReadValues = (summary: AnySummary) => ReadonlyMap<string, SummaryValue>

/** Loads the schemas for reading the values of one kind of summary. */
function useReadValues(kind: SummaryKind): Load<ReadValues> {
  return useLoader(`fields of ${kind}`, async () => {
    const from = await loadDocument()
    const response = responseSchema(from, `summary.get.${kind}`)
    // the only key is the list, and a profile is the response itself
    const item = kind === 'profile' ? response : Object.values(plain(from, response)?.properties ?? {})[0]
    return summary => readValues(from, plain(from, item), summary)
  })
}

/** Keys that describe the record, not the person. */
const OMITTED = new Set([
  ...['id', 'user_id', 'source', 'created_at', 'updated_at', 'calendar_date', 'timezone_offset'],
  ...['source_provider', 'source_type', 'source_app_id', 'source_device_id'],
])

function readValues(
  from: ApiDocument,
  item: Schema | undefined,
  summary: AnySummary,
): ReadonlyMap<string, SummaryValue> {
  const values = new Map<string, SummaryValue>()
  const visit = (value: unknown, path: string, schema: Schema | undefined, names: readonly string[], key: string) => {
    // a constant is not useful here, because it is the unit of the value next to it
    if (schema?.deprecated || schema?.const !== undefined) return
    const add = (shown: SummaryValue['value']) => values.set(path, { ...named(schema, names, key), value: shown })
    if (Array.isArray(value)) add(`${value.length} ${value.length === 1 ? 'entry' : 'entries'}`)
    else if (typeof value === 'object' && value !== null) {
      const { properties, additionalProperties: any } = plain(from, schema) ?? {}
      for (const [inner, each] of Object.entries(value)) {
        const own = properties?.[inner]
        if (own) visit(each, `${path}.${inner}`, own, names, inner)
        // an undocumented key is the name of a food or nutrient
        else
          visit(each, `${path}.${inner}`, typeof any === 'object' ? any : undefined, [...names, formatTitle(inner)], '')
      }
    } else if (typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && value !== ''))
      add(value)
  }
  for (const [key, value] of Object.entries(summary))
    if (!OMITTED.has(key)) visit(value, key, item?.properties?.[key], [], key)
  return values
}

/** Returns the name and unit from a description of the form `Meaning, unit; remark`. */
function named(schema: Schema | undefined, names: readonly string[], key: string): Pick<SummaryValue, 'name' | 'unit'> {
  const [meaning = ''] = (schema?.description ?? formatTitle(key)).split(';')
  const unit = /, (\S+)$/.exec(meaning)?.[1] ?? ''
  const own = unit === '' ? meaning : meaning.slice(0, -unit.length - 2)
  return { name: [...names, own].filter(Boolean).join(': '), unit }
}

/** Returns the name with its unit, for a column heading: `Energy burnt, kcal`. */
function columnHead({ name, unit }: SummaryValue): string {
  return unit === '' ? name : `${name}, ${unit}`
}

/** Returns the value without its unit. */
function valueText({ value }: SummaryValue): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return typeof value === 'number' ? numberText(value) : value
}
