/** Teams: who is calling. */
import { type Handler, ok } from './context.ts'

export const whoami: Handler<'team.whoami'> = async (_engine, _input, call) =>
  ok({ team_id: call.team.teamId, name: call.team.name })
