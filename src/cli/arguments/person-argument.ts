/** PERSON: a person_id or the name of a person who signs in to the console. */
import { string as stringArg } from '@oclif/core/args'
import type { ResponseOf } from '../../client/client.ts'
import { didYouMean, ServiceError } from '../../core/errors.ts'
import { isUuid } from '../../core/ids.ts'
import { fields, type View, view } from '../../output/view.ts'

export type Person = ResponseOf<'person.update'>

export const personArgument = () =>
  stringArg({ required: true, description: 'Person, as name or person_id; see `svc engine person list`' })

/**
 * Returns the person_id of a PERSON; `list` requests the people from the service. Throws a ServiceError `not_found` that suggests the
 * nearest names, or `usage` if people of several teams have the name.
 */
export async function resolvePersonId(
  given: string,
  list: () => Promise<{ readonly people: readonly Person[] }>,
): Promise<string> {
  if (isUuid(given)) return given
  const { people } = await list()
  const [found, other] = people.filter(({ name }) => name === given)
  if (found && other) {
    throw new ServiceError('usage', `People of several teams are named "${given}".`, {
      suggestions: ['Use the person_id from `svc engine person list`.'],
    })
  }
  if (found) return found.person_id
  const names = people.map(({ name }) => name)
  throw new ServiceError('not_found', `There is no person "${given}".${didYouMean(given, names)}`, {
    suggestions: ['`svc engine person list` lists the people.'],
  })
}

export function personView(people: readonly Person[]): View<Person> {
  return view(
    people,
    fields<Person>('name', 'role', 'person_id', 'team_id', 'created_on'),
    'No people. Add one with `svc engine person add NAME --role ROLE`.',
  )
}
