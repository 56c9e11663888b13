/** The lab results of one day: those of samples that were collected on it. */
import { call } from '../../../api/call.ts'
import { useLoader } from '../../../api/use-call.ts'
import type { View } from '../../../parts/chart/series.ts'
import { DAY, floatingDate, instantText, toFloating } from '../../../parts/floating.ts'
import { Card } from '../../../parts/page.tsx'
import { Empty, Loaded } from '../../../parts/states.tsx'
import { type Report, ResultTable } from '../../labs/results.tsx'

interface DayResultsProps {
  readonly userId: string
  readonly zone: string | null
  readonly day: View
}

/** Maximum number of orders that the service lists on a page. */
const MOST_ORDERS = 100

export function DayResults({ userId, zone, day }: DayResultsProps) {
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

async function readReports({ userId, zone, day }: DayResultsProps, signal: AbortSignal): Promise<readonly DayReport[]> {
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
