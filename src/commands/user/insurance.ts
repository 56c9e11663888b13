/** `svc user insurance`. */
import { boolean } from '@oclif/core/flags'
import { userArgument } from '../../cli/arguments/arguments.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { flatSheet } from '../../cli/views/fact-lines.ts'

export default class UserInsurance extends SvcCommand {
  static override summary = "Show a user's latest health insurance"
  static override examples = toExamples('ada', 'ada --no-primary --json')
  static override args = { user: userArgument() }
  static override flags = {
    primary: boolean({ description: 'Only primary insurance; --no-primary for other insurance', allowNo: true }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(UserInsurance)
    const query = { is_primary: flags.primary }
    await this.withUser(args.user, user_id => this.show('user.insurance', { params: { user_id }, query }, flatSheet))
  }
}
