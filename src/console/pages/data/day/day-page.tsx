/** Everything of one user and one local day: charts with one cursor, nights, workouts, lab results and merged values. */
import { call } from '../../../api/call.ts'
import { useChosenUser } from '../../../api/chosen-user.ts'
import { mayUse } from '../../../api/session.ts'
import { useLoader } from '../../../api/use-call.ts'
import { Button } from '../../../parts/button.tsx'
import { DAY, floatingDate, floatingFrom, instantText, toFloating } from '../../../parts/floating.ts'
import { Fields } from '../../../parts/form.tsx'
import { Card, Page, TopicTabs } from '../../../parts/page.tsx'
import { dateText } from '../../../parts/period.tsx'
import { Empty, Loaded } from '../../../parts/states.tsx'
import { useMeasuredZone } from '../../../parts/time-zone.tsx'
import { useUrlState } from '../../../shell/url-state.ts'
import { type Report, ResultTable } from '../../labs/results.tsx'
import { useOwner } from '../owner.tsx'
import { lastDay } from '../resources.ts'
import { DayCharts } from './day-charts.tsx'
import { type DayProps, DayValues } from './day-values.tsx'

export default function DayPage() {
  const { query, change } = useUrlState()
  const userId = useChosenUser()
  const { own, zone, about, problems, instead } = useOwner()
  const measured = useMeasuredZone()
  const chosen = floatingFrom(query['day']?.slice(0, 10))
  const newest = own?.length ? Math.max(...own.map(each => lastDay(each, zone))) : null
  const from = chosen ?? newest
  const go = (day: string): void => change({ day }, true)
  return (
    <Page
      title={from === null ? 'Day' : dateText(floatingDate(from))}
      about={about ?? "Everything of one user's day."}
      actions={
        from !== null && (
          <>
            <Button onClick={() => go(floatingDate(from - DAY))}>Previous day</Button>
            <Button onClick={() => go(floatingDate(from + DAY))}>Next day</Button>
          </>
        )
      }
    >
      <TopicTabs topic="/console/data" current="/console/data/day" />
      <section class="data-bar" aria-label="What to show">
        <Fields
          of={{
            values: { user: userId ?? '', day: from === null ? '' : floatingDate(from) },
            set: part => change(part, true),
          }}
          fields={[
            { name: 'user', label: 'User', type: 'user' },
            { name: 'day', label: 'Day', type: 'date' },
          ]}
        />
      </section>
      {problems}
      {instead ?? (from !== null && userId !== null && own && content(userId, from))}
    </Page>
  )

  function content(userId: string, from: number) {
    const shared = { userId, zone, own: own ?? [], day: { from, to: from + DAY } }
    const beside = query['with']?.split('|') ?? []
    return (
      <>
        <DayCharts
          key={`${userId} ${from} ${measured}`}
          {...shared}
          beside={beside}
          onBeside={names => change({ with: names.join('|') })}
        />
        <DayValues {...shared} />
        {mayUse('order.list') && mayUse('order.result') && <DayResults {...shared} />}
      </>
    )
  }
}

/** Maximum number of orders that the service lists on a page. */
const MOST_ORDERS = 100

/** The lab results of one day: those of samples that were collected on it. */
function DayResults({ userId, zone, day }: Omit<DayProps, 'own'>) {
  const load = useLoader(`results ${userId} ${zone} ${day.from}`, signal => readReports({ userId, zone, day }, signal))
  return (
    <Loaded load={load} lines={2}>
      {reports => (
        <Card title="Lab results" isFlush={reports.length > 0}>
          {reports.length === 0 && <Empty title="No sample was collected on this day" />}
          {reports.map(({ id, name, report }) => (
            <section key={id} class="stack">
              <h3>
                <a href={`/console/labs/orders/${id}`}>{name}</a>
              </h3>
              <ResultTable report={report} label={`Results of ${name}`} />
            </section>
          ))}
        </Card>
      )}
    </Loaded>
  )
}

interface DayReport {
  readonly id: string
  readonly name: string
  readonly report: Report
}

async function readReports(
  { userId, zone, day }: Omit<DayProps, 'own'>,
  signal: AbortSignal,
): Promise<readonly DayReport[]> {
  // a sample is collected after its order was placed, and before the order changed last; a zone is less than a day from UTC
  const query = {
    user_id: userId,
    end_date: instantText(day.to + DAY),
    updated_start_date: instantText(day.from - DAY),
    size: MOST_ORDERS,
  }
  const { orders } = await call('order.list', { query }, { signal })
  const reported = orders.filter(({ interpretation }) => interpretation !== null)
  const reports = await Promise.all(
    reported.map(async ({ id, lab_test: { name } }) => ({
      ...{ id, name },
      report: await call('order.result', { params: { order_id: id } }, { signal }),
    })),
  )
  const date = floatingDate(day.from)
  const dateOf = (time: string) => floatingDate(toFloating(Date.parse(time) / 1000, null, zone))
  return reports.filter(({ report }) => dateOf(report.metadata.date_collected) === date)
}
