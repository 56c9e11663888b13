/** Operations: the people who sign in to the console, their passkeys, and console sessions. */
import { operation } from '../kernel/operation.ts'
import { nothing } from '../kernel/primitives.ts'
import * as person from './person.ts'
import { signInUrl } from './team.ts'

const common = { reach: 'service', tag: 'People' } as const
/** The operations that give and take rights. */
const managing = { ...common, managesAccess: true } as const

export const personOperations = {
  'person.create': operation({
    route: 'POST /svc/v1/people',
    ...managing,
    summary: 'Add a person, and create the one-time URL of the first sign-in',
    body: person.newPerson,
    reply: person.createdPerson,
    errors: [400, 404, 409],
  }),
  'person.list': operation({
    route: 'GET /svc/v1/people',
    ...common,
    summary: 'List the people who can sign in to the console, oldest first',
    query: person.peopleQuery,
    reply: person.personList,
    errors: [404],
  }),
  'person.update': operation({
    route: 'PATCH /svc/v1/people/{person_id}',
    ...managing,
    summary: "Change a person's name or role, effective immediately",
    params: person.personParams,
    body: person.personChange,
    reply: person.personView,
    errors: [404, 409],
    idempotent: true,
  }),
  'person.remove': operation({
    route: 'DELETE /svc/v1/people/{person_id}',
    ...managing,
    summary: "Remove a person with the person's passkeys, and end the person's sessions",
    params: person.personParams,
    reply: nothing,
    repliesNothing: true,
    errors: [404],
  }),
  'person.sign_in_token': operation({
    route: 'POST /svc/v1/people/{person_id}/sign-in-tokens',
    ...managing,
    summary: 'Create a one-time URL that signs a person in to the console',
    params: person.personParams,
    reply: signInUrl,
    errors: [404, 409],
  }),
  'passkey.list': operation({
    route: 'GET /svc/v1/passkeys',
    ...common,
    summary: 'List the passkeys of the people who sign in to the console, oldest first',
    reply: person.passkeyList,
  }),
  'passkey.remove': operation({
    route: 'DELETE /svc/v1/passkeys/{passkey_id}',
    ...managing,
    summary: 'Remove a passkey, which then no longer signs in',
    params: person.passkeyParams,
    reply: nothing,
    repliesNothing: true,
    errors: [404],
  }),
  'session.list': operation({
    route: 'GET /svc/v1/console/sessions',
    ...common,
    summary: 'List console sessions, newest first',
    reply: person.sessionList,
  }),
  'session.end': operation({
    route: 'DELETE /svc/v1/console/sessions/{session_id}',
    ...managing,
    summary: 'End a console session immediately',
    params: person.sessionParams,
    reply: nothing,
    repliesNothing: true,
    errors: [404],
  }),
} as const
