/** `svc engine person list`. */
import { string } from '@oclif/core/flags'
import { personView } from '../../../cli/arguments/person-argument.ts'
import { resolveTeamId } from '../../../cli/arguments/team-argument.ts'
import { toExamples } from '../../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../../cli/runtime/watched-command.ts'

export default class EnginePersonList extends WatchedCommand {
  static override summary = 'List the people who can sign in to the console, oldest first'
  static override examples = toExamples('', '--team acme --json')
  static override flags = {
    team: string({ description: 'Only people of this team, as name or team_id', helpValue: 'TEAM' }),
  }

  protected override async look(): Promise<void> {
    const { flags } = await this.parse(EnginePersonList)
    const { team } = flags
    const team_id = team === undefined ? undefined : await resolveTeamId(team, () => this.ask('team.list', {}))
    const found = await this.ask('person.list', { query: team_id === undefined ? {} : { team_id } })
    await this.print(found, personView(found.people))
  }
}
