/** `svc user info`. */
import { userArgument } from '../../cli/arguments/arguments.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { flatSheet } from '../../cli/views/fact-lines.ts'

export default class UserInfo extends SvcCommand {
  static override summary = "Show a user's profile info"
  static override examples = toExamples(
    'ada',
    'ada --json | <%= config.bin %> user set-info ada --file - --city Boston',
  )
  static override args = { user: userArgument() }

  async run(): Promise<void> {
    const { args } = await this.parse(UserInfo)
    await this.withUser(args.user, user_id => this.show('user.info', { params: { user_id } }, flatSheet))
  }
}
