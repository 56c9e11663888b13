/** `svc link email`. */
import { optionalProviderArgument } from '../../cli/arguments/arguments.ts'
import { LinkCommand } from '../../cli/links/link-command.ts'
import { emailFlags, linkUserFlag } from '../../cli/links/link-flags.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'

export default class LinkEmail extends LinkCommand {
  static override summary = 'Link a provider with an e-mail address'
  static override description =
    'Always prints the link result. If the link fails, the command exits with code 6. With a link token in ' +
    "SVC_LINK_TOKEN, links the token's user, and --user is not needed."
  static override examples = toExamples(
    'freestyle_libre --user ada --email ada@example.com',
    'SVC_LINK_TOKEN="$TOKEN" <%= config.bin %> <%= command.id %> freestyle_libre --email ada@example.com --region gb',
  )
  static override args = { provider: optionalProviderArgument() }
  static override flags = { user: linkUserFlag(), ...emailFlags() }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LinkEmail)
    const target = await this.target('email', { provider: args.provider, user: flags.user })
    await this.byEmail(target, flags)
  }
}
