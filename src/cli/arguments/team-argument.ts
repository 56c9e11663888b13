/** TEAM: a team_id or a team name. */

import { string as stringArg } from '@oclif/core/args'
import type { ResponseOf } from '../../client/client.ts'
import { didYouMean, ServiceError } from '../../core/errors.ts'
import { isUuid } from '../../core/ids.ts'
import { fields, type View, view } from '../../output/view.ts'

export type Team = ResponseOf<'team.update'>

export const teamArgument = () =>
  stringArg({ required: true, description: 'Team, as name or team_id; see `svc engine team list`' })

/**
 * Returns the team_id of a TEAM; `list` requests the teams from the service. Throws a ServiceError `not_found` that suggests the nearest
 * names.
 */
export async function resolveTeamId(
  given: string,
  list: () => Promise<{ readonly teams: readonly Team[] }>,
): Promise<string> {
  if (isUuid(given)) return given
  const { teams } = await list()
  const found = teams.find(team => team.name === given)
  if (found) return found.team_id
  const names = teams.map(team => team.name)
  throw new ServiceError('not_found', `There is no team "${given}".${didYouMean(given, names)}`, {
    suggestions: ['`svc engine team list` lists the teams.'],
  })
}

export function teamView(teams: readonly Team[]): View<Team> {
  return view(teams, {
    ...fields<Team>('team_id', 'name'),
    users: team => team.user_count,
    ...fields<Team>('max_users', 'stored_bytes', 'max_bytes', 'max_requests_per_second', 'max_in_flight'),
    user_info: team => (team.beta.user_info ? 'on' : 'off'),
    aggregate: team => (team.beta.aggregate ? 'on' : 'off'),
    reject_duplicates: team => (team.reject_duplicate_connection ? 'on' : 'off'),
    merge: team => (team.merge ? 'on' : 'off'),
    ...fields<Team>('mixed_kinds', 'compatibility_date', 'event_days', 'keep_import_days', 'created_on'),
  })
}
