/** Everything of one user and one local day: charts with one cursor, nights, workouts, lab results and merged values. */
import { useChosenUser } from '../../../api/chosen-user.ts'
import { mayUse } from '../../../api/session.ts'
import { Button } from '../../../parts/button.tsx'
import { DAY, floatingDate, floatingFrom } from '../../../parts/floating.ts'
import { Fields } from '../../../parts/form.tsx'
import { Page } from '../../../parts/page.tsx'
import { dateText } from '../../../parts/period.tsx'
import { TopicTabs } from '../../../parts/tabs.tsx'
import { useMeasuredZone } from '../../../parts/time-zone.tsx'
import { useUrlState } from '../../../shell/url-state.ts'
import { useOwner } from '../owner.tsx'
import { lastDay } from '../resources.ts'
import { DayCharts } from './day-charts.tsx'
import { DayResults } from './day-results.tsx'
import { DayValues } from './day-values.tsx'

export default function DayPage() {
  const { query, change } = useUrlState()
  const userId = useChosenUser()
  const { own, zone, about, problems, instead } = useOwner(userId)
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
