/** `svc link token`. */
import { option, string } from '@oclif/core/flags'
import { userArgument } from '../../cli/arguments/arguments.ts'
import { LinkCommand } from '../../cli/links/link-command.ts'
import { checkForToken } from '../../cli/links/offer.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { repeatable } from '../../cli/runtime/shared-flags.ts'
import { factSheet } from '../../output/view.ts'

export default class LinkToken extends LinkCommand {
  static override summary = 'Create a link token, valid for 60 minutes and one link'
  static override description =
    "An application passes the token to its user's device, which can then link a provider without the API key."
  static override examples = toExamples(
    'ada',
    'ada --redirect-url https://app.example/linked --filter whoop --filter zwift',
    'ada --redirect-url https://app.example/linked --on-error redirect --on-close redirect',
  )
  static override args = { user: userArgument() }
  static override flags = {
    provider: string({ description: 'Limit the token to this provider', helpValue: 'SLUG' }),
    filter: string({
      description: 'Limit the token to these providers; can be repeated',
      ...repeatable,
      helpValue: 'SLUG',
    }),
    'redirect-url': string({ description: 'URL to return to afterwards', helpValue: 'URL' }),
    'on-error': option({
      options: ['redirect'] as const,
      description: 'Return to the redirect URL after an error; by default the user can try again on the page',
      dependsOn: ['redirect-url'],
    })(),
    'on-close': option({
      options: ['redirect'] as const,
      description: 'Return to the redirect URL when the page is closed',
      dependsOn: ['redirect-url'],
    })(),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LinkToken)
    const only = flags.provider === undefined ? (flags.filter ?? []) : [flags.provider]
    if (only.length > 0) checkForToken(only, await this.allOffers(), args.user)
    const token = await this.withUser(args.user, user_id =>
      this.ask('link.token', {
        body: {
          user_id,
          provider: flags.provider,
          filter_on_providers: flags.filter,
          redirect_url: flags['redirect-url'],
          on_error: flags['on-error'],
          on_close: flags['on-close'],
        },
      }),
    )
    await this.print(token, factSheet(token))
    if (token.link_web_url === null) {
      this.hint(
        'link_web_url is null because no server runs on this data folder. Start `svc serve`, or set SVC_PUBLIC_URL.',
      )
    }
  }
}
