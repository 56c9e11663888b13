/** `svc link oauth`. */
import { optionalProviderArgument } from '../../cli/arguments/arguments.ts'
import { LinkCommand } from '../../cli/links/link-command.ts'
import { linkUserFlag, oauthFlags } from '../../cli/links/link-flags.ts'
import { examplesOf } from '../../cli/runtime/base-command.ts'

export default class LinkOAuth extends LinkCommand {
  static override summary = 'Link a provider that uses OAuth'
  static override description =
    'Starts the sign-in and prints oauth_url, the consent page to open in a browser; the page needs a running ' +
    '`svc serve`. With --approve or --deny, answers the page here and prints the link result. A failed link ' +
    'exits with 6. With a link token in SVC_LINK_TOKEN, links the user of that token, and --user is not needed.'
  static override examples = examplesOf(
    'oura --user ada --redirect-url https://app.example/linked',
    'oura --user ada --approve',
    'oura --user ada --approve --grant daily --grant heartrate',
  )
  static override args = { provider: optionalProviderArgument() }
  static override flags = { user: linkUserFlag(), ...oauthFlags() }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LinkOAuth)
    const target = await this.target('oauth', {
      provider: args.provider,
      user: flags.user,
      redirectUrl: flags['redirect-url'],
    })
    await this.byOAuth(target, flags)
  }
}
