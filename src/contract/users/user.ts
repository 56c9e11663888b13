/** Schemas of users and of the operations on them. See docs/interface/users.md. */
import * as z from 'zod'
import {
  component,
  date,
  dateTime,
  line,
  sensitiveText,
  teamId,
  timeZone,
  userId,
  wholeNumber,
  wrongValue,
} from '../kernel/primitives.ts'

/** Name, slug and logo of a provider. */
export const providerSummary = () =>
  z.object({ name: z.string(), slug: z.string(), logo: z.string() }).meta({ id: 'ProviderSummary' })

export const connectedSource = () =>
  z
    .object({ provider: providerSummary(), created_on: dateTime(), source: providerSummary() })
    .meta({ id: 'ConnectedSource', description: 'Connected provider; source repeats provider' })

/** A user, as returned by every call. Dates are YYYY-MM-DD, date-times ISO 8601 with +00:00. */
export const user = () =>
  component('User', {
    user_id: userId(),
    team_id: teamId(),
    client_user_id: z.string(),
    created_on: dateTime(),
    connected_sources: z.array(connectedSource()),
    fallback_time_zone: z.object({ id: z.string(), source_slug: z.string(), updated_at: dateTime() }).nullable(),
    fallback_birth_date: z.object({ value: date(), source_slug: z.string(), updated_at: dateTime() }).nullish(),
    ingestion_start: date().nullish(),
    ingestion_end: date().nullish(),
  })

/** Body of POST /v2/user. */
export const createUser = () =>
  z
    .object({
      client_user_id: line(512),
      fallback_time_zone: timeZone().nullish(),
      fallback_birth_date: date().nullish(),
      ingestion_start: date().nullish(),
      ingestion_end: date().nullish(),
    })
    .refine(body => !body.ingestion_start || !body.ingestion_end || body.ingestion_start <= body.ingestion_end, {
      path: ['ingestion_end'],
      ...wrongValue('must not be before ingestion_start'),
    })
    .meta({ id: 'CreateUser' })

export const userParams = () => z.object({ user_id: userId() })

export const listUsersQuery = () =>
  z.object({ offset: wholeNumber(0, 1_000_000_000).default(0), limit: wholeNumber(1, 500).default(100) })

export const userPage = () =>
  z.object({ users: z.array(user()), total: z.int(), offset: z.int(), limit: z.int() }).meta({ id: 'UserPage' })

export const resolveParams = () => z.object({ client_user_id: z.string().min(1).max(512) })

/** Body of PATCH /v2/user/{user_id}: null clears a field, except client_user_id. See docs/interface/users.md#users-7. */
export const patchUser = () =>
  z
    .object({
      client_user_id: line(512).nullish().meta({ description: 'Must not be null' }),
      fallback_time_zone: timeZone().nullish(),
      fallback_birth_date: date().nullish(),
      ingestion_start: date().nullish(),
      ingestion_end: date().nullish(),
    })
    .superRefine((body, context) => {
      if (body.client_user_id !== null) return
      const message = 'Value error, client_user_id cannot be null'
      context.addIssue({ code: 'custom', path: [], message, params: { type: 'value_error' } })
    })
    .meta({ id: 'PatchUser' })

export const searchUsersQuery = () =>
  z.object({
    query_id: line(512)
      .min(2)
      .meta({ description: 'Part of a client_user_id, or a complete user_id; at least 2 characters' }),
  })

export const userNamesQuery = () =>
  z.object({
    starts_with: line(512)
      .optional()
      .meta({ description: 'Prefix of the client_user_ids and user_ids, case-sensitive; all if absent' }),
  })

/**
 * Names of active users, each list sorted and with at most 200 entries. The last entry of a truncated list is the last match overall, so
 * that the entries have the same common prefix as all matches.
 */
export const userNames = () =>
  z.object({ client_user_ids: z.array(z.string()), user_ids: z.array(userId()) }).meta({ id: 'UserNames' })

/** Active users, at most 100 of them, newest first. */
export const foundUsers = () => z.array(user())

/**
 * The team's figures. In the weekly list, `date` is the Monday on which the week begins, `value` is the number of sources connected during
 * the week, and `all` is the number connected at the end of the week.
 */
export const teamMetrics = () =>
  component('TeamMetrics', {
    team_id: teamId(),
    number_of_users: z.int(),
    number_of_connected_sources: z.int(),
    number_of_errored_connected_sources: z.int(),
    number_of_connected_sources_by_week: z.array(z.object({ date: dateTime(), value: z.int(), all: z.int() })),
    number_of_ordered_tests: z.int(),
  })

export const refreshQuery = () =>
  z.object({
    timeout: wholeNumber(5, 60)
      .default(10)
      .meta({ description: 'Number of seconds to wait; unfinished work continues afterwards' }),
  })

const sources = (description: string) =>
  z.array(z.string()).meta({ description: `${description}, as provider/resource` })

export const refreshReply = () =>
  component('Refreshed', {
    success: z.boolean(),
    user_id: userId(),
    refreshed_sources: sources('Pulled'),
    in_progress_sources: sources('Not pulled yet'),
    failed_sources: sources('Resources of connections that are paused or in the error state'),
  })

/** The 400 response to a refresh if there is no connection to pull from. */
export const nothingToRefresh = () =>
  component('NothingToRefresh', {
    success: z.literal(false),
    user_id: userId(),
    error: z.string(),
    failed_sources: sources('Resources of connections that are paused or in the error state'),
  })

/** A token for an application on the user's own device. */
export const signInToken = () =>
  z.object({ user_id: userId(), sign_in_token: sensitiveText() }).meta({ id: 'SignInToken' })

/** Exactly one of the two IDs, as a query parameter or in a JSON body. See docs/interface/users.md#users-13. */
export const undoDelete = () =>
  z
    .object({ user_id: userId().nullish(), client_user_id: line(512).nullish() })
    .refine(
      body => (body.user_id ? 1 : 0) + (body.client_user_id ? 1 : 0) === 1,
      wrongValue('must have exactly one of user_id and client_user_id'),
    )
    .meta({ id: 'UndoDelete' })

/** The 400 response if the client_user_id is taken, with the user that has it. See docs/interface/users.md#users-6. */
export const clientUserIdTaken = () => {
  const holder = { user_id: userId(), created_on: dateTime() }
  return z
    .object({ detail: z.object({ error_type: z.string(), error_message: z.string(), ...holder }), ...holder })
    .meta({ id: 'ClientUserIdTaken' })
}
