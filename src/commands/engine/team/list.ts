/** `svc engine team list`. */

import { teamView } from '../../../cli/arguments/team-argument.ts'
import { toExamples } from '../../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../../cli/runtime/watched-command.ts'

export default class EngineTeamList extends WatchedCommand {
  static override summary = 'List teams with their settings, oldest first'
  static override description = 'A data folder can have 1000 teams; all are listed.'
  static override examples = toExamples('', '--output ndjson')

  protected override async look(): Promise<void> {
    await this.show('team.list', {}, ({ teams }) => teamView(teams))
  }
}
