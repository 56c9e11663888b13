/** `svc link oauth`. */
import { boolean, string } from '@oclif/core/flags'
import { optionalProviderArgument } from '../../cli/arguments/arguments.ts'
import { LinkCommand } from '../../cli/links/link-command.ts'
import { factSheet } from '../../output/view.ts'

export default class LinkOAuth extends LinkCommand {
  static override summary = 'Link a provider that uses OAuth'
  static override description =
    'Starts the sign-in and prints oauth_url, the consent page to open in a browser; the page needs a running ' +
    '`svc serve`. With --approve or --deny, answers the page here and prints the link result. A failed link ' +
    'exits with 6. With a link token in SVC_LINK_TOKEN, links the user of that token, and --user is not needed.'
  static override examples = [
    '<%= config.bin %> <%= command.id %> oura --user ada --redirect-url https://app.example/linked',
    '<%= config.bin %> <%= command.id %> oura --user ada --approve',
    '<%= config.bin %> <%= command.id %> oura --user ada --approve --grant daily --grant heartrate',
  ]
  static override args = { provider: optionalProviderArgument() }
  static override flags = {
    user: string({ description: 'User to link', helpValue: 'USER' }),
    'redirect-url': string({ description: 'URL to return to afterwards', dependsOn: ['user'], helpValue: 'URL' }),
    approve: boolean({ description: 'Grant the requested scopes', exclusive: ['deny'] }),
    deny: boolean({ description: 'Deny all scopes' }),
    grant: string({
      description: 'Grant only this scope; can be repeated',
      dependsOn: ['approve'],
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'SCOPE',
    }),
    account: string({
      description: 'Account at the provider that grants the access',
      dependsOn: ['approve'],
      helpValue: 'NAME',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LinkOAuth)
    const { 'redirect-url': redirectUrl } = flags
    const { provider, linkToken } = await this.target('oauth', {
      provider: args.provider,
      user: flags.user,
      ...(redirectUrl === undefined ? {} : { redirectUrl }),
    })
    const params = { provider }
    const source = await this.ask('link.oauth', { params }, { linkToken: await linkToken() })
    if (!flags.approve && !flags.deny) {
      await this.print(source, factSheet({ provider: source.slug, oauth_url: source.oauth_url }))
      if (source.oauth_url === null) this.hint(NO_SERVER)
      return
    }
    const body = flags.deny
      ? { decision: 'deny' as const }
      : { decision: 'approve' as const, scopes: flags.grant, account: flags.account }
    await this.report(await this.ask('link.oauth_consent', { params, body }, { linkToken: source.state }))
  }
}

const NO_SERVER =
  'oauth_url is null because no server runs on this data folder. Start `svc serve`, set SVC_PUBLIC_URL, or answer with --approve.'
