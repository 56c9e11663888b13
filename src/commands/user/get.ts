/** `svc user get`. */
import { userArgument } from '../../cli/arguments/arguments.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { userRecord } from '../../cli/users/user-view.ts'

export default class UserGet extends SvcCommand {
  static override summary = 'Show a user'
  static override examples = toExamples('ada', '0f8fad5b-d9cb-469f-a165-70867728950e --json')
  static override args = { user: userArgument() }

  async run(): Promise<void> {
    const { args } = await this.parse(UserGet)
    await this.withUser(args.user, user_id => this.show('user.get', { params: { user_id } }, userRecord))
  }
}
