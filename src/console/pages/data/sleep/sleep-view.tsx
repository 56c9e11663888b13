/** Nights: a list, and the stages of the chosen one. */
import { words } from '../../../../catalogue/wording.ts'
import { momentText } from '../../../parts/chart/readout.ts'
import type { View } from '../../../parts/chart/series.ts'
import { Card } from '../../../parts/page.tsx'
import { PagedTable } from '../../../parts/paged-table.tsx'
import { Empty, Loaded } from '../../../parts/states.tsx'
import type { ContentProps } from '../address.ts'
import { ItemLink } from '../item-link.tsx'
import { sourceText } from '../resources.ts'
import { floatingIn, useSummaries } from '../summaries/summaries.ts'
import { SummaryCommand } from '../summaries/summary-view.tsx'
import { lengthText, type Night } from './night.ts'
import { NightView } from './night-view.tsx'

interface SleepViewProps extends ContentProps {
  readonly userId: string
  readonly view: View
}

const PER_PAGE = 14

export function SleepView({ userId, view, zone, address, onChange }: SleepViewProps) {
  const load = useSummaries<Night>(userId, 'sleep', view)
  return (
    <>
      <Loaded load={load} lines={10}>
        {nights => {
          const night = nights.find(({ id }) => id === address.item) ?? nights[0]
          if (!night) {
            return (
              <Card title="Nights">
                <Empty title="No nights in this period">Choose a longer period.</Empty>
              </Card>
            )
          }
          return (
            <>
              <NightView key={night.id} night={night} zone={zone} />
              <Card title="Nights" isFlush>
                <PagedTable
                  label="List of nights"
                  columns={[
                    {
                      title: 'Night',
                      cell: each => (
                        <ItemLink
                          text={each.calendar_date}
                          isCurrent={each === night}
                          onChoose={() => onChange({ item: each.id })}
                        />
                      ),
                    },
                    { title: 'Source', cell: each => sourceText(each.source) },
                    { title: 'Type', cell: each => words(each.type) },
                    { title: 'In bed from', cell: each => momentText(floatingIn(each, each.bedtime_start, zone)) },
                    { title: 'Asleep', isNumber: true, cell: each => lengthText(each.total) },
                    {
                      title: 'Efficiency',
                      isNumber: true,
                      cell: each => (each.efficiency === null ? '' : `${each.efficiency} %`),
                    },
                    { title: 'Score', isNumber: true, cell: each => each.score ?? '' },
                  ]}
                  rows={nights}
                  keyOf={({ id }) => id}
                  perPage={PER_PAGE}
                  noun="nights"
                />
              </Card>
            </>
          )
        }}
      </Loaded>
      <SummaryCommand userId={userId} kind="sleep" view={view} />
    </>
  )
}
