/** Schemas of the operations on the people who sign in to the console, their passkeys, and console sessions. See docs/people.md. */
import * as z from 'zod'
import { ROLES } from '../../catalogue/roles.ts'
import {
  component,
  dateTime,
  line,
  lowerUuid,
  sensitiveText,
  strictComponent,
  teamId,
  uuid,
  wrongValue,
} from '../kernel/primitives.ts'

const MOST_NAME_CHARACTERS = 100

/** A person's name. It must not look like an ID, because `svc engine person set` accepts either one. */
const personName = () =>
  line(MOST_NAME_CHARACTERS)
    .refine(
      name => !uuid().safeParse(name).success && name.trim() === name,
      wrongValue('must not be a UUID, and must not begin or end with a space'),
    )
    .meta({ description: 'Name, unique in the team' })

const role = () => z.enum(ROLES).meta({ description: 'Role, which decides the rights in the console' })

export const newPerson = () =>
  strictComponent('NewPerson', {
    name: personName(),
    role: role(),
    team_id: teamId()
      .optional()
      .meta({ description: "Team whose data the person sees; defaults to the caller's team" }),
  })

export const personChange = () => strictComponent('PersonChange', { name: personName(), role: role() }).partial()

export const personParams = () => z.object({ person_id: lowerUuid() })
export const peopleQuery = () => z.object({ team_id: teamId().optional() })

export const personView = () =>
  component('Person', {
    person_id: z.string(),
    team_id: z.string(),
    name: z.string(),
    role: z.enum(ROLES),
    created_on: dateTime(),
  })

/** People, oldest first. */
export const personList = () => z.object({ people: z.array(personView()) }).meta({ id: 'PersonList' })

/** A person with the URL of the first sign-in. */
export const createdPerson = () =>
  component('CreatedPerson', {
    ...personView().shape,
    url: sensitiveText()
      .nullable()
      .meta({ description: 'URL that signs the person in once; null if no server with a console is running' }),
    expires_at: dateTime().nullable().meta({ description: 'When the URL expires, in real time' }),
  })

export const sessionParams = () => z.object({ session_id: lowerUuid() })

/** Console sessions, newest first. Times are real time. */
export const sessionList = () =>
  component('ConsoleSessionList', {
    sessions: z.array(
      component('ConsoleSession', {
        session_id: z.string(),
        team_id: z.string(),
        person_id: z.string().nullable(),
        key_id: z.string().nullable(),
        name: z.string().nullable().meta({
          description: "The person's name or the key's label; null for the owner of the data folder",
        }),
        browser: z.string().meta({ description: 'Family of the browser, such as Firefox; empty if unknown' }),
        created_at: dateTime().meta({ description: 'When the session began' }),
        last_seen_at: dateTime().meta({ description: 'Last use, updated once a minute' }),
        expires_at: dateTime().meta({ description: 'Time when the session ends unless it is used again' }),
        is_current: z.boolean().meta({ description: 'Whether the call was made in this session' }),
      }),
    ),
  })

export const passkeyParams = () => z.object({ passkey_id: lowerUuid() })

/** A passkey, without anything about its key. Times are real time. */
export const passkeyView = () =>
  component('Passkey', {
    passkey_id: z.string(),
    team_id: z.string(),
    person_id: z.string(),
    person: z.string().meta({ description: 'Name of the person' }),
    name: z.string().meta({ description: 'Name, from the browser and the date' }),
    host: z.string().meta({ description: 'Host name of the console at which the passkey works' }),
    created_at: dateTime(),
    last_used_at: dateTime().nullable().meta({ description: 'Last sign-in; null if there was none' }),
  })

/** Passkeys, oldest first. */
export const passkeyList = () => z.object({ passkeys: z.array(passkeyView()) }).meta({ id: 'PasskeyList' })
