/** `svc engine key create`. */
import { boolean, string } from '@oclif/core/flags'
import { resolveTeamId, teamArgument } from '../../../cli/arguments/team-argument.ts'
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'
import { KEY_IS_SHOWN_ONCE, keyKindFlags } from '../../../cli/views/key-view.ts'
import { factSheet } from '../../../output/view.ts'

export default class EngineKeyCreate extends SvcCommand {
  static override summary = 'Create an API key for a team and show it once'
  static override description =
    'A key works until it is revoked. It gives access to its team and, with --operator, to operations on all teams ' +
    'and on the store. A team can have 100 active keys.'
  static override examples = toExamples('acme --label "web application"', 'local --operator --label monitoring --json')
  static override args = { team: teamArgument() }
  static override flags = {
    label: string({ description: 'Purpose of the key', default: 'api key', helpValue: 'TEXT' }),
    operator: boolean({ description: 'Allow operations on all teams and on the store' }),
    ...keyKindFlags(),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EngineKeyCreate)
    const team_id = await resolveTeamId(args.team, () => this.ask('team.list', {}))
    const { label, environment, region } = flags
    const key = await this.ask('key.create', {
      params: { team_id },
      body: { label, environment, region, is_operator: flags.operator },
    })
    await this.print(key, factSheet(key))
    this.hint(KEY_IS_SHOWN_ONCE)
  }
}
