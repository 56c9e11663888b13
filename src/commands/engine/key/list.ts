/** `svc engine key list`. */
import { boolean, integer, string } from '@oclif/core/flags'
import { teamIdOf } from '../../../cli/arguments/team-argument.ts'
import { examplesOf } from '../../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../../cli/runtime/watched-command.ts'
import { keyView } from '../../../cli/views/key-view.ts'

export default class EngineKeyList extends WatchedCommand {
  static override summary = 'List API keys, newest first'
  static override description =
    'Shows what each key is for and when it was last used. Keys are not stored, so only the start and end of each ' +
    'key is shown.'
  static override examples = examplesOf('', '--team acme --revoked')
  static override flags = {
    team: string({ description: 'Only keys of this team, as name or team_id', helpValue: 'TEAM' }),
    revoked: boolean({ description: 'Include revoked keys' }),
    limit: integer({ description: 'Maximum number of keys to return, 1 to 1000', default: 100 }),
  }

  protected override async look(): Promise<void> {
    const { flags } = await this.parse(EngineKeyList)
    const team_id = flags.team === undefined ? undefined : await teamIdOf(flags.team, () => this.ask('team.list', {}))
    const query = { revoked: flags.revoked, limit: flags.limit, ...(team_id === undefined ? {} : { team_id }) }
    await this.show('key.list', { query }, ({ keys }) => keyView(keys))
  }
}
