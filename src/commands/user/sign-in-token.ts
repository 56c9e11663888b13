/** `svc user sign-in-token`. */
import { userArgument } from '../../cli/arguments/arguments.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { factSheet } from '../../output/view.ts'

export default class UserSignInToken extends SvcCommand {
  static override summary = "Issue a sign-in token for an application on the user's device"
  static override description =
    'For testing applications that pass such tokens on. svc has no device SDK that accepts one.'
  static override examples = toExamples('ada --json')
  static override args = { user: userArgument() }

  async run(): Promise<void> {
    const { args } = await this.parse(UserSignInToken)
    await this.withUser(args.user, user_id => this.show('user.sign_in_token', { params: { user_id } }, factSheet))
  }
}
