/** `svc link email`. */
import { string } from '@oclif/core/flags'
import { optionalProviderArgument } from '../../cli/arguments/arguments.ts'
import { LinkCommand } from '../../cli/links/link-command.ts'
import { askText } from '../../cli/runtime/prompt.ts'

export default class LinkEmail extends LinkCommand {
  static override summary = 'Link a provider with an e-mail address'
  static override description =
    'Always prints the link result. A failed link exits with 6. With a link token in SVC_LINK_TOKEN, links the ' +
    'user of that token, and --user is not needed.'
  static override examples = [
    '<%= config.bin %> <%= command.id %> freestyle_libre --user ada --email ada@example.com',
    'SVC_LINK_TOKEN="$TOKEN" <%= config.bin %> <%= command.id %> freestyle_libre --email ada@example.com --region gb',
  ]
  static override args = { provider: optionalProviderArgument() }
  static override flags = {
    user: string({ description: 'User to link', helpValue: 'USER' }),
    email: string({ description: 'E-mail address of the account', helpValue: 'ADDRESS' }),
    region: string({ description: 'Region of the account; defaults to us' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LinkEmail)
    const { provider, linkToken } = await this.target('email', { provider: args.provider, user: flags.user })
    const email = flags.email ?? (await this.need('--email', () => askText('E-mail address')))
    const body = { email, region: flags.region }
    await this.report(await this.ask('link.email', { params: { provider }, body }, { linkToken: await linkToken() }))
  }
}
