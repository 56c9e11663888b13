/** `svc engine key list`. */
import { boolean, integer, string } from '@oclif/core/flags'
import { resolveTeamId } from '../../../cli/arguments/team-argument.ts'
import { toExamples } from '../../../cli/runtime/base-command.ts'
import { allFlag } from '../../../cli/runtime/shared-flags.ts'
import { WatchedCommand } from '../../../cli/runtime/watched-command.ts'
import { keyView } from '../../../cli/views/key-view.ts'

/** Maximum number of keys on a page. */
const MOST_KEYS = 1000

export default class EngineKeyList extends WatchedCommand {
  static override summary = 'List API keys, newest first'
  static override description =
    'Shows the purpose of each key and when it was last used. Keys are not stored, so only the start and end of ' +
    'each key are shown.'
  static override examples = toExamples('', '--team acme --revoked')
  static override flags = {
    team: string({ description: 'Only keys of this team, as name or team_id', helpValue: 'TEAM' }),
    revoked: boolean({ description: 'Include revoked keys' }),
    limit: integer({ description: 'Maximum number of keys to return, 1 to 1000', default: 100 }),
    offset: integer({ description: 'Number of keys to skip', default: 0 }),
    all: allFlag('limit'),
  }

  protected override async look(): Promise<void> {
    const { flags } = await this.parse(EngineKeyList)
    const team_id =
      flags.team === undefined ? undefined : await resolveTeamId(flags.team, () => this.ask('team.list', {}))
    const { revoked, all, offset } = flags
    const limit = all ? MOST_KEYS : flags.limit
    const query = { revoked, offset, limit, ...(team_id === undefined ? {} : { team_id }) }
    const page = await this.printPages(
      all,
      at => this.ask('key.list', { query: { ...query, ...at } }),
      ({ keys }) => keyView(keys),
    )
    const next = page.offset + page.keys.length
    if (page.keys.length > 0 && next < page.total)
      this.hint(`${next} of ${page.total} keys. More results: add --offset ${next}`)
  }
}
