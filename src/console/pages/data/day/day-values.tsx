/** The merged values of one day, with their sources, those that are not used, and where each number comes from. */
import { formatTitle, unitText } from '../../../../catalogue/wording.ts'
import { call, type ResponseOf } from '../../../api/call.ts'
import { useLoader } from '../../../api/use-call.ts'
import { numberText } from '../../../parts/chart/readout.ts'
import type { View } from '../../../parts/chart/series.ts'
import { DAY, floatingDate } from '../../../parts/floating.ts'
import { Card, Facts } from '../../../parts/page.tsx'
import { Empty, Loaded } from '../../../parts/states.tsx'
import { Filled } from '../members.tsx'
import {
  isQueried,
  kindText,
  listText,
  onlyKind,
  onlyOf,
  type Query,
  readStored,
  type Share,
  type Stored,
  sharesText,
  storedQuery,
  type Table,
  valueFields,
  wholeDays,
} from '../merging.ts'
import type { OwnResource, TimeseriesResource } from '../resources.ts'
import { WhyButton } from '../why/why-button.tsx'
import type { Question } from '../why/why-dialog.tsx'

/** What a part of the day page shows. */
export interface DayProps {
  readonly userId: string
  readonly zone: string | null
  readonly own: readonly OwnResource[]
  readonly day: View
}

/** A value with its sources, and the sources that are not used, with the reasons. */
function Merged({ value, userId }: { readonly value: DayValue; readonly userId: string }) {
  const { text, shares, unused, questions } = value
  return (
    <>
      <Filled text={text} source={sharesText(shares)} />
      {questions.map(question => (
        <WhyButton key={question.column} {...{ userId, question }} />
      ))}
      {unused.map(({ source, reason }) => (
        <div key={source} class="soft">{`Not used: ${source} (${reason})`}</div>
      ))}
    </>
  )
}

export function DayValues({ userId, own, day }: DayProps) {
  const date = floatingDate(day.from)
  const load = useLoader(`day ${userId} ${date}`, signal => readDay(userId, { own, day }, signal))
  return (
    <Card title="Values of the day">
      <Loaded load={load} lines={8}>
        {({ values, mixed }) =>
          values.length === 0 ? (
            <Empty title="No samples on this day">Choose another day.</Empty>
          ) : (
            <>
              <Facts rows={values.map(value => [value.name, <Merged key={value.name} {...{ value, userId }} />])} />
              {mixed.map(({ name, kinds }) => (
                <p key={name}>
                  {`${name} has values of different kinds (${listText(kinds)}). They are not comparable, so each kind has a row.`}
                </p>
              ))}
            </>
          )
        }
      </Loaded>
    </Card>
  )
}

interface DayValue {
  /** Name of the resource, with the kind or type if it has several. */
  readonly name: string
  readonly text: string
  readonly shares: readonly Share[]
  readonly unused: readonly { readonly source: string; readonly reason: string }[]
  /** The numbers in the text. */
  readonly questions: readonly Question[]
}

export interface ReadDay {
  readonly values: readonly DayValue[]
  /** Resources with values of several kinds, and the names of the kinds. */
  readonly mixed: readonly { readonly name: string; readonly kinds: readonly string[] }[]
}

/** Limit of the service. */
const MOST_QUERIES = 50

/** One row of values to read: all values of a resource, or those of one kind. */
interface Wanted {
  readonly resource: TimeseriesResource
  readonly stored: Stored
  readonly kind: string | undefined
}

/** Reads a day's values. Throws Problem. */
async function readDay(
  userId: string,
  { own, day }: { readonly own: readonly OwnResource[]; readonly day: View },
  signal: AbortSignal,
): Promise<ReadDay> {
  const params = { user_id: userId }
  const timeframe = wholeDays(day)
  // the times of resources are instants, which may be a day from the local date
  const resources = own
    .filter(({ oldest, newest }) => oldest < day.to + DAY && newest >= day.from - DAY)
    .flatMap(({ timeseries }) => (timeseries && isQueried(timeseries) ? [timeseries] : []))
    .slice(0, MOST_QUERIES)
  if (resources.length === 0) return { values: [], mixed: [] }
  const body = { timeframe, queries: resources.map(storedQuery) }
  const { results } = await call('aggregate.query', { params, body }, { signal })
  const found = resources.map((resource, i) => ({ resource, stored: readStored(results[i]?.table) }))
  const wanted = found
    .filter(({ stored }) => stored.sources.length > 0)
    .flatMap(({ resource, stored }): Wanted[] =>
      (stored.kinds.length === 0 ? [undefined] : stored.kinds).map(kind => ({ resource, stored, kind })),
    )
    .slice(0, MOST_QUERIES)
  if (wanted.length === 0) return { values: [], mixed: [] }
  const query = { timeframe, queries: wanted.map(buildQuery) }
  const [answer, explanation] = await Promise.all([
    call('aggregate.query', { params, body: query }, { signal }),
    call('aggregate.explain', { params, body: { query } }, { signal }),
  ])
  return {
    values: wanted.flatMap((each, i) =>
      dayValues(each, answer.results[i]?.table ?? {}, explanation.results[i]?.groups ?? [], floatingDate(day.from)),
    ),
    mixed: found
      .filter(({ stored }) => stored.kinds.length > 1)
      .map(({ resource, stored }) => ({ name: formatTitle(resource.resource), kinds: stored.kinds.map(kindText) })),
  }
}

const functionsOf = ({ is_amount: isAmount }: TimeseriesResource) => (isAmount ? ['sum'] : ['mean', 'min', 'max'])

function buildQuery({ resource, kind }: Wanted): Query {
  const field = (name: string) => ({ timeseries: resource.event_name, field: name })
  const values = valueFields(resource).flatMap(name => functionsOf(resource).map(func => ({ func, arg: field(name) })))
  const groups = resource.has_type_in_key
    ? { select: [{ group_key: '*' as const }, ...values], group_by: [field('type')] }
    : { select: values }
  return { ...groups, ...onlyKind(resource, kind) }
}

type Group = ResponseOf<'aggregate.explain'>['results'][number]['groups'][number]

/** Returns a value for each type of the resource. */
function dayValues(
  { resource, stored, kind }: Wanted,
  table: Table,
  groups: readonly Group[],
  period: string,
): readonly DayValue[] {
  const columns = Object.values(table)
  const types = resource.has_type_in_key ? (columns.shift() ?? []) : []
  const fields = valueFields(resource)
  const perField = functionsOf(resource).length
  return groups.flatMap((group, row) => {
    const texts = fields.flatMap((name, i) => {
      const numbers = columns.slice(i * perField, (i + 1) * perField).map(column => column[row])
      if (numbers.some(each => typeof each !== 'number')) return []
      const text = valueText(numbers.map(Number), unitText(resource.unit))
      return [fields.length > 1 ? `${name} ${text}` : text]
    })
    if (texts.length === 0) return []
    const type = types[row] ?? (stored.kinds.length > 1 ? kind : undefined)
    const named = group.sources.map(({ provider, source_type: sourceType, app_id: app, ...rest }) => ({
      ...{ ...rest, source: stored.nameOf(provider, sourceType, app ?? null) },
    }))
    const used = named.filter(each => each.used)
    const name = [formatTitle(resource.resource), ...(type ? [kindText(type)] : [])].join(' · ')
    const where = onlyOf(resource, { kind, type: types[row] })
    return [
      {
        name,
        text: texts.join(', '),
        shares: used.map(({ source, share }) => ({ source, share: share ?? 1 / used.length })),
        unused: named.filter(each => !each.used),
        questions: fields.map(field => ({
          func: functionsOf(resource)[0] as string,
          column: fields.length > 1 ? `${resource.event_name}.${field}` : resource.event_name,
          ...{ where, period, merge: true },
          of: fields.length > 1 ? `${name}, ${field}` : name,
        })),
      },
    ]
  })
}

/** Returns an amount, or a mean with the lowest and highest value. */
function valueText([value = 0, min, max]: readonly number[], unit: string): string {
  const text = `${numberText(value)} ${unit}`.trim()
  if (min === undefined || max === undefined || min === max) return text
  return `mean ${text}, ${numberText(min)} to ${numberText(max)}`
}
