/** `svc engine team show`. */

import { resolveTeamId, teamArgument, teamView } from '../../../cli/arguments/team-argument.ts'
import { toExamples } from '../../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../../cli/runtime/watched-command.ts'
import { ServiceError } from '../../../core/errors.ts'

export default class EngineTeamShow extends WatchedCommand {
  static override summary = 'Show a team with its users, stored bytes, quotas and feature switches'
  static override examples = toExamples('acme', 'acme --json')
  static override args = { team: teamArgument() }

  protected override async look(): Promise<void> {
    const { args } = await this.parse(EngineTeamShow)
    const { teams } = await this.ask('team.list', {})
    const team_id = await resolveTeamId(args.team, async () => ({ teams }))
    const team = teams.find(each => each.team_id === team_id.toLowerCase())
    if (team) return this.print(team, { ...teamView([team]), isOneDocument: true })
    throw new ServiceError('not_found', 'There is no such team.', {
      suggestions: ['`svc engine team list` lists the teams.'],
    })
  }
}
