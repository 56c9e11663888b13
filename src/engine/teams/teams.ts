/** Creates teams and changes their settings. See docs/interface/README.md#interface-7. */
import type { HandlerInput, ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { invalid, ServiceError } from '../../core/errors.ts'
import type { TeamId } from '../../core/ids.ts'
import { randomUuid } from '../../core/random.ts'
import { formatInstant } from '../../core/time.ts'
import type { TeamChanges, TeamRecord } from '../../store/team.ts'
import { type EngineContext, type Handler, ok } from '../context.ts'
import { newApiKey } from './new-api-key.ts'

/** Maximum number of teams in a data folder, and therefore in the list. */
export const MOST_TEAMS = 1_000

export const whoami: Handler<'team.whoami'> = async (_engine, _input, call) =>
  ok({ team_id: call.team.teamId, name: call.team.name })

export const createTeam: Handler<'team.create'> = async (engine, { body }, call) => {
  const known = await engine.store.teams.all()
  if (known.length >= MOST_TEAMS) {
    throw new ServiceError('bad_request', `There are ${MOST_TEAMS} teams, which is the maximum for a data folder.`)
  }
  const teamId = randomUuid(engine.random) as TeamId
  call.about('team_id', teamId)
  const { key, record } = newApiKey(engine, { ...body, teamId, label: 'first key', isOperator: false, now: call.now })
  const team = { teamId, name: body.name, createdOn: call.now }
  return call.settle(
    () => engine.store.teams.create(team, record),
    outcome => {
      if (outcome === 'taken') throw nameTaken()
      return ok({ team_id: teamId, name: body.name, api_key: key })
    },
  )
}

export const listTeams: Handler<'team.list'> = async engine => {
  const all = await engine.store.teams.all()
  return ok({ teams: all.map(({ team, users, bytes }) => teamView(team, users, bytes)) })
}

export const updateTeam: Handler<'team.update'> = async (engine, { params, body }) => {
  const team = await teamNamed(engine, params.team_id)
  const changed = await engine.store.teams.change(team.teamId, teamChanges(body, team))
  if (changed === 'taken') throw nameTaken()
  if (changed === null) throw noSuchTeam()
  const listed = (await engine.store.teams.all()).find(each => each.team.teamId === team.teamId)
  return ok(teamView(changed, listed?.users ?? 0, listed?.bytes ?? null))
}

/** Returns a team. Throws 404 if no team has this ID. */
export async function teamNamed(engine: EngineContext, teamId: TeamId): Promise<TeamRecord> {
  const team = await engine.store.teams.find(teamId)
  if (team === null) throw noSuchTeam()
  return team
}

function teamChanges(body: HandlerInput<Operations['team.update']>['body'], team: TeamRecord): TeamChanges {
  const { max_users: maxUsers = body.user_limit } = body
  if (body.user_limit !== undefined && body.user_limit !== maxUsers) {
    const msg = 'must be the same as max_users, its newer name, or be left out'
    throw invalid([{ loc: ['body', 'user_limit'], msg, type: 'value_error' }])
  }
  return {
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(body.reject_duplicate_connection === undefined
      ? {}
      : { rejectDuplicateConnection: body.reject_duplicate_connection }),
    ...(maxUsers === undefined ? {} : { userLimit: maxUsers }),
    ...(body.max_bytes === undefined ? {} : { maxBytes: body.max_bytes }),
    ...(body.max_requests_per_second === undefined ? {} : { maxRequestsPerSecond: body.max_requests_per_second }),
    ...(body.max_in_flight === undefined ? {} : { maxInFlight: body.max_in_flight }),
    ...(body.compatibility_date === undefined ? {} : { compatibilityDate: body.compatibility_date }),
    ...(body.event_days === undefined ? {} : { eventDays: body.event_days }),
    ...(body.keep_import_days === undefined ? {} : { keepImportDays: body.keep_import_days }),
    queryDefaults: {
      merges: body.merge ?? team.queryDefaults.merges,
      mixedKinds: body.mixed_kinds ?? team.queryDefaults.mixedKinds,
    },
    betas: {
      user_info: body.beta?.user_info ?? team.betas.user_info,
      aggregate: body.beta?.aggregate ?? team.betas.aggregate,
    },
  }
}

function teamView(team: TeamRecord, users: number, bytes: number | null): ReplyBody<Operations['team.update']> {
  return {
    team_id: team.teamId,
    name: team.name,
    created_on: formatInstant(team.createdOn),
    user_count: users,
    stored_bytes: bytes,
    reject_duplicate_connection: team.rejectDuplicateConnection,
    user_limit: team.userLimit,
    max_users: team.userLimit,
    max_bytes: team.maxBytes,
    max_requests_per_second: team.maxRequestsPerSecond,
    max_in_flight: team.maxInFlight,
    beta: { ...team.betas },
    compatibility_date: team.compatibilityDate,
    event_days: team.eventDays,
    merge: team.queryDefaults.merges,
    mixed_kinds: team.queryDefaults.mixedKinds,
    keep_import_days: team.keepImportDays,
  }
}

function noSuchTeam(): ServiceError {
  return new ServiceError('not_found', 'There is no team with this id.', {
    suggestions: ['`svc engine team list` shows the teams.'],
  })
}

function nameTaken(): ServiceError {
  return new ServiceError('conflict', 'Another team has this name.', { suggestions: ['Choose another name.'] })
}
