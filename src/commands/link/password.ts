/** `svc link password`. */
import { optionalProviderArgument } from '../../cli/arguments/arguments.ts'
import { LinkCommand } from '../../cli/links/link-command.ts'
import { linkUserFlag, passwordFlags } from '../../cli/links/link-flags.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'

export default class LinkPassword extends LinkCommand {
  static override summary = 'Link a provider with a user name and password'
  static override description =
    'On a terminal, prompts for missing values: the password without echo, and the code if the provider sends one. ' +
    'Always prints the link result. The command exits with code 6 if the link fails, and with code 0 if the link is ' +
    "waiting for a code. With a link token in SVC_LINK_TOKEN, links the token's user, and --user is not needed."
  static override examples = toExamples(
    'whoop --user ada',
    'printf %s "$PASSWORD" | <%= config.bin %> <%= command.id %> whoop --user ada --username ada@example.com --password-stdin',
    'SVC_LINK_TOKEN="$TOKEN" <%= config.bin %> <%= command.id %> whoop',
  )
  static override args = { provider: optionalProviderArgument() }
  static override flags = { user: linkUserFlag(), ...passwordFlags() }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LinkPassword)
    const target = await this.target('password', { provider: args.provider, user: flags.user })
    await this.byPassword(target, flags)
  }
}
