/** Manages the people who sign in to the console. See docs/people.md. */
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import { randomUuid } from '../../core/random.ts'
import { formatInstant } from '../../core/time.ts'
import type { ConsolePerson } from '../../store/console/person.ts'
import { done, type EngineContext, type Handler, ok } from '../context.ts'
import { teamNamed } from '../teams/teams.ts'
import { personToken } from './sessions.ts'
import { requireConsole, signInUrl } from './sign-in-token.ts'

/** Maximum number of people in a store. */
export const MOST_PEOPLE = 1_000

export const createPerson: Handler<'person.create'> = async (engine, { body }, call) => {
  const { teamId } = body.team_id === undefined ? call.team : await teamNamed(engine, body.team_id)
  if ((await presentPeople(engine)).length >= MOST_PEOPLE) {
    throw new ServiceError('bad_request', `There are ${MOST_PEOPLE} people, which is the maximum.`)
  }
  const { name, role } = body
  const person = { personId: randomUuid(engine.random), teamId, name, role, createdOn: call.now, removedAt: null }
  call.about('person_id', person.personId)
  const url = engine.consoleUrl()
  const token = url === null ? null : personToken(engine, person)
  return call.settle(
    () => engine.store.consolePeople.add(person, token?.row ?? null),
    outcome => {
      if (outcome === 'taken') throw nameTaken()
      return ok({
        ...personView(person),
        url: url === null || token === null ? null : signInUrl(url, token.secret),
        expires_at: token && formatInstant(token.expiresAt),
      })
    },
  )
}

export const listPeople: Handler<'person.list'> = async (engine, { query }) => {
  const team = query.team_id === undefined ? null : await teamNamed(engine, query.team_id)
  const people = await presentPeople(engine)
  return ok({ people: people.filter(each => team === null || each.teamId === team.teamId).map(personView) })
}

export const updatePerson: Handler<'person.update'> = async (engine, { params, body }) => {
  const { name, role } = body
  const changes = { ...(name === undefined ? {} : { name }), ...(role === undefined ? {} : { role }) }
  const changed = await engine.store.consolePeople.change(params.person_id, changes)
  if (changed === 'taken') throw nameTaken()
  if (changed === null) throw noSuchPerson()
  return ok(personView(changed))
}

export const removePerson: Handler<'person.remove'> = async (engine, { params }, call) => {
  if ((await engine.store.consolePeople.remove(params.person_id, call.now)) === null) throw noSuchPerson()
  return done()
}

/** Returns a URL that signs the person in. Throws ServiceError `conflict` if there is no console. */
export const createPersonSignInUrl: Handler<'person.sign_in_token'> = async (engine, { params }) => {
  const person = (await presentPeople(engine)).find(each => each.personId === params.person_id)
  if (person === undefined) throw noSuchPerson()
  const url = requireConsole(engine)
  const { secret, expiresAt, row } = personToken(engine, person)
  await engine.store.console.addToken(row)
  return ok({ url: signInUrl(url, secret), expires_at: formatInstant(expiresAt) })
}

async function presentPeople(engine: EngineContext): Promise<ConsolePerson[]> {
  return (await engine.store.consolePeople.all()).filter(({ removedAt }) => removedAt === null)
}

function personView({
  personId,
  teamId,
  name,
  role,
  createdOn,
}: ConsolePerson): ReplyBody<Operations['person.update']> {
  return { person_id: personId, team_id: teamId, name, role, created_on: formatInstant(createdOn) }
}

function noSuchPerson(): ServiceError {
  return new ServiceError('not_found', 'There is no person with this id.', {
    suggestions: ['`svc engine person list` lists the people.'],
  })
}

function nameTaken(): ServiceError {
  return new ServiceError('conflict', 'Another person of the team has this name.', {
    suggestions: ['Choose another name.'],
  })
}
