/** `svc link oauth`. */
import { optionalProviderArgument } from '../../cli/arguments/arguments.ts'
import { linkUserFlag, oauthFlags } from '../../cli/links/link-flags.ts'
import { OAuthLinkCommand } from '../../cli/links/oauth-command.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'

export default class LinkOAuth extends OAuthLinkCommand {
  static override summary = 'Link a provider that uses OAuth'
  static override description =
    'Starts the sign-in and prints oauth_url, the URL of the consent page to open in a browser; the page needs a ' +
    'running `svc serve`. With --approve or --deny, completes the consent page without a browser and prints the link ' +
    'result. For a live provider (`svc docs live-providers`) and on a terminal, opens the browser, waits until the ' +
    "provider redirects to the OAuth app's redirect URL, and pulls the history; without a browser, asks for the URL " +
    'that the provider redirected to. If the link fails, the command exits with code 6. With a link token in ' +
    "SVC_LINK_TOKEN, links the token's user, and --user is not needed."
  static override examples = toExamples(
    'oura --user ada --redirect-url https://app.example/linked',
    'oura --user ada --approve',
    'oura --user ada --approve --grant daily --grant heartrate',
    'oura --user ada --no-wait',
    'oura --user ada --callback-url-stdin < url.txt',
  )
  static override args = { provider: optionalProviderArgument() }
  static override flags = { user: linkUserFlag(), ...oauthFlags() }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LinkOAuth)
    if (flags['callback-url-stdin']) return this.byCallback(args.provider, flags.user, flags)
    const target = await this.target('oauth', {
      provider: args.provider,
      user: flags.user,
      redirectUrl: flags['redirect-url'],
    })
    await this.byOAuth(target, flags)
  }
}
