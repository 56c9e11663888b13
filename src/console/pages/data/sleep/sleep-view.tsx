/** A list of nights, and the sleep stages of the chosen night. */
import { readableName } from '../../../../catalogue/wording.ts'
import { momentText } from '../../../parts/chart/readout.ts'
import { dateText } from '../../../parts/period.tsx'
import { ItemList, type ItemViewProps } from '../item-list.tsx'
import { floatingIn } from '../summaries/summaries.ts'
import { lengthText, NIGHTS, type Night } from './night.ts'
import { NightView } from './night-view.tsx'

export function SleepView(props: ItemViewProps) {
  const { zone, onChange } = props
  return (
    <ItemList<Night>
      {...props}
      of={NIGHTS}
      noun="nights"
      apart={{ noun: 'naps', title: 'Nap', has: ({ merged }) => merged?.role === 'nap' }}
      link={{ title: 'Night', textOf: night => dateText(night.calendar_date) }}
      columns={[
        { title: 'Type', cell: night => readableName(night.type) },
        { title: 'In bed from', cell: night => momentText(floatingIn(night, night.bedtime_start, zone)) },
        { title: 'Asleep', isNumber: true, cell: night => lengthText(night.total) },
        {
          title: 'Efficiency',
          isNumber: true,
          cell: night => (night.efficiency === null ? '' : `${night.efficiency} %`),
        },
        { title: 'Score', isNumber: true, cell: night => night.score ?? '' },
      ]}
    >
      {session => (
        <NightView
          key={`${session.item.id} ${session.merged !== null}`}
          session={session}
          zone={zone}
          onOpen={item => onChange({ item, isMerged: false })}
        />
      )}
    </ItemList>
  )
}
