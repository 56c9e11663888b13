/** One day: the merged amounts and levels with their sources, and the merged nights and workouts. */
import { Fragment } from 'preact'
import { formatTitle } from '../../../../catalogue/wording.ts'
import { useLoader } from '../../../api/use-call.ts'
import { Button } from '../../../parts/button.tsx'
import type { View } from '../../../parts/chart/series.ts'
import { DAY, floatingDate, floatingFrom } from '../../../parts/floating.ts'
import { Card, Facts } from '../../../parts/page.tsx'
import { Empty, Loaded } from '../../../parts/states.tsx'
import type { ContentProps } from '../data-state.ts'
import { Filled, spanText } from '../members.tsx'
import { listText, sharesText } from '../merging.ts'
import type { OwnResource } from '../resources.ts'
import { type Session, sessionSources, useSessions } from '../sessions.ts'
import { NIGHTS, type Night } from '../sleep/night.ts'
import { WhyButton } from '../why/why-button.tsx'
import { WORKOUTS, type Workout } from '../workouts/workout.ts'
import { type DayValue, readDay } from './day.ts'
import { floatingIn } from './summaries.ts'

export interface DayCardProps extends ContentProps {
  readonly userId: string
  readonly view: View
  readonly own: readonly OwnResource[]
}

/** A value with its sources, and the sources that are not used, with the reasons. */
function Merged({ value, userId, day }: { readonly value: DayValue; readonly userId: string; readonly day: string }) {
  const { text, shares, unused, questions } = value
  return (
    <>
      <Filled text={text} source={sharesText(shares)} />
      {questions.map(question => (
        <WhyButton key={question.column} {...{ ...question, userId, day }} />
      ))}
      {unused.map(({ source, reason }) => (
        <div key={source} class="soft">{`Not used: ${source} (${reason})`}</div>
      ))}
    </>
  )
}

/** Shows the day in the URL, or else the last day of the view. */
export function DayCard({ userId, view, own, zone, state, onChange }: DayCardProps) {
  const from = floatingFrom(state.item ?? undefined) ?? Math.floor((view.to - 1) / DAY) * DAY
  const day = { from, to: from + DAY }
  const date = floatingDate(from)
  const load = useLoader(`day ${userId} ${date}`, signal => readDay(userId, { own, day }, signal))
  return (
    <Card
      title={`Day of ${date}`}
      actions={
        <>
          <Button isSmall onClick={() => onChange({ item: floatingDate(from - DAY) })}>
            Previous day
          </Button>
          <Button isSmall onClick={() => onChange({ item: floatingDate(from + DAY) })}>
            Next day
          </Button>
        </>
      }
    >
      <Loaded load={load} lines={8}>
        {({ values, mixed }) =>
          values.length === 0 ? (
            <Empty title="No samples on this day">Choose another day.</Empty>
          ) : (
            <>
              <Facts
                rows={values.map(value => [value.name, <Merged key={value.name} {...{ value, userId, day: date }} />])}
              />
              {mixed.map(({ name, kinds }) => (
                <p key={name}>
                  {`${name} has values of different kinds (${listText(kinds)}). They are not comparable, so each kind has a row.`}
                </p>
              ))}
            </>
          )
        }
      </Loaded>
      <DaySessions {...{ userId, zone, day, onChange }} />
    </Card>
  )
}

interface DayItem {
  readonly id: string
  readonly resource: 'sleep' | 'workouts'
  readonly name: string
  readonly from: number
  readonly to: number
  readonly sources: string
}

interface DaySessionsProps extends Pick<ContentProps, 'zone' | 'onChange'> {
  readonly userId: string
  readonly day: View
}

/** The nights that end on the day, and the workouts that start on it. */
function DaySessions({ userId, zone, day, onChange }: DaySessionsProps) {
  const request = { userId, view: day, zone, isMerged: true }
  const nights = useSessions<Night>(NIGHTS, request)
  const workouts = useSessions<Workout>(WORKOUTS, request)
  const itemOf = (resource: DayItem['resource'], session: Session<Night> | Session<Workout>, name: string): DayItem => {
    const { item } = session
    const [start, end] =
      resource === 'sleep' ? [item['bedtime_start'], item['bedtime_stop']] : [item['time_start'], item['time_end']]
    const [from, to] = [floatingIn(item, `${start}`, zone), floatingIn(item, `${end}`, zone)]
    return { id: item.id, resource, name, from, to, sources: sessionSources(session as Session<Night>) }
  }
  return (
    <Loaded load={nights} lines={2}>
      {slept => (
        <Loaded load={workouts} lines={2}>
          {done => {
            const rows = [
              ...slept.map(each => itemOf('sleep', each, formatTitle(each.merged?.role ?? each.item.type))),
              ...done.map(each => itemOf('workouts', each, each.item.title ?? each.item.sport?.name ?? 'Workout')),
            ].sort((a, b) => a.from - b.from)
            return (
              rows.length > 0 && (
                <div class="stack">
                  <h3>Nights and workouts</h3>
                  <Facts
                    rows={rows.map(({ id, resource, name, from, to, sources }) => [
                      name,
                      <Fragment key={id}>
                        <button
                          type="button"
                          class="data-item"
                          aria-label={`Open ${name}, ${spanText(from, to)}`}
                          onClick={() => onChange({ resource, item: id, field: null, custom: day })}
                        >
                          {spanText(from, to)}
                        </button>
                        <div class="soft">{`From ${sources}`}</div>
                      </Fragment>,
                    ])}
                  />
                </div>
              )
            )
          }}
        </Loaded>
      )}
    </Loaded>
  )
}
