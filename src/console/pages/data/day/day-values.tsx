/** The merged amounts and levels of one day, with their sources, those that are not used, and where each number comes from. */
import { useLoader } from '../../../api/use-call.ts'
import type { View } from '../../../parts/chart/series.ts'
import { floatingDate } from '../../../parts/floating.ts'
import { Card, Facts } from '../../../parts/page.tsx'
import { Empty, Loaded } from '../../../parts/states.tsx'
import { Filled } from '../members.tsx'
import { listText, sharesText } from '../merging.ts'
import type { OwnResource } from '../resources.ts'
import { WhyButton } from '../why/why-button.tsx'
import { type DayValue, readDay } from './read-day.ts'

interface DayProps {
  readonly userId: string
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
