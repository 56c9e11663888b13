/** `svc engine key create`. */
import { boolean, string } from '@oclif/core/flags'
import { teamArgument, teamIdOf } from '../../../cli/arguments/team-argument.ts'
import { SvcCommand } from '../../../cli/runtime/base-command.ts'
import { KEY_IS_SHOWN_ONCE, keyKindFlags } from '../../../cli/views/key-view.ts'
import { factSheet } from '../../../output/view.ts'

export default class EngineKeyCreate extends SvcCommand {
  static override summary = 'Create an API key of a team, which is shown this once'
  static override description =
    'Keys live until they are revoked. A key sees its team; one made with --operator may also do what is about all teams or the ' +
    'store itself. A team has 100 working keys at most.'
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme --label "web application"',
    '<%= config.bin %> <%= command.id %> local --operator --label monitoring --json',
  ]
  static override args = { team: teamArgument() }
  static override flags = {
    label: string({ description: 'what it is for', default: 'api key', helpValue: 'TEXT' }),
    operator: boolean({ description: 'it may do what is about all teams or the store itself' }),
    ...keyKindFlags(),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EngineKeyCreate)
    const team_id = await teamIdOf(args.team, () => this.ask('team.list', {}))
    const { label, environment, region } = flags
    const key = await this.ask('key.create', {
      params: { team_id },
      body: { label, environment, region, is_operator: flags.operator },
    })
    await this.print(key, factSheet(key))
    this.hint(KEY_IS_SHOWN_ONCE)
  }
}
