/** `svc engine team list`. */

import { teamView } from '../../../cli/arguments/team-argument.ts'
import { examplesOf, SvcCommand } from '../../../cli/runtime/base-command.ts'

export default class EngineTeamList extends SvcCommand {
  static override summary = 'List teams with their settings, oldest first'
  static override description = 'A data folder can have 1000 teams; all are listed.'
  static override examples = examplesOf('', '--output ndjson')

  async run(): Promise<void> {
    await this.parse(EngineTeamList)
    await this.show('team.list', {}, ({ teams }) => teamView(teams))
  }
}
