/** Shows the people that a seed created: their identity, and the events in their lives. */
import type { ResponseOf } from '../../client/client.ts'
import { fields, ranked, type View, view } from '../../output/view.ts'

type Person = ResponseOf<'engine.seed'>['people'][number]

/** Returns one row for each person; several time ranges are joined in one cell. */
export function seedView(people: readonly Person[]): View<Person> {
  const days = (periods: readonly { from: string; to: string; time_zone?: string }[]): string =>
    periods.map(({ from, to, time_zone }) => `${from}/${to}${time_zone ? ` ${time_zone}` : ''}`).join(', ')
  return ranked(
    ['client_user_id', 'state', 'connections', 'user_id', 'samples', 'summaries'],
    view(people, {
      ...fields<Person>('client_user_id', 'user_id', 'state', 'time_zone'),
      connections: each =>
        each.connections
          .map(({ provider, status }) => (status === 'connected' ? provider : `${provider} (${status})`))
          .join(', '),
      habits: ({ habits }) => `${habits.riser} riser, ${habits.activity} activity, weekends ${habits.weekend}`,
      ill: each => days(each.illnesses),
      away: each => days(each.trips),
      gaps: each => days(each.gaps),
      ...fields<Person>('samples', 'summaries'),
    }),
  )
}
