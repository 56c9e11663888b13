/** `svc engine team create`. */
import { string as stringArg } from '@oclif/core/args'
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'
import { KEY_IS_SHOWN_ONCE, keyKindFlags } from '../../../cli/views/key-view.ts'
import { factSheet } from '../../../output/view.ts'

export default class EngineTeamCreate extends SvcCommand {
  static override summary = 'Create a team and show its first API key once'
  static override description =
    'A team sees only its own users. Its key works with `svc serve` on the data folder and, for the embedded ' +
    'engine, in SVC_API_KEY.'
  static override examples = toExamples('acme', 'acme --environment production --region eu --json')
  static override args = { name: stringArg({ required: true, description: 'Team name; must be unique' }) }
  static override flags = keyKindFlags()

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EngineTeamCreate)
    const { environment, region } = flags
    await this.show('team.create', { body: { name: args.name, environment, region } }, factSheet)
    this.hint(KEY_IS_SHOWN_ONCE)
  }
}
