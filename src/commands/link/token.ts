/** `svc link token`. */
import { option, string } from '@oclif/core/flags'
import { userArgument } from '../../cli/arguments/arguments.ts'
import { SvcCommand } from '../../cli/runtime/base-command.ts'
import { factSheet } from '../../output/view.ts'

export default class LinkToken extends SvcCommand {
  static override summary = 'Create a link token: it lives 60 minutes and is used once'
  static override description =
    'An application hands it to its user’s device, which links a provider with it and without the API key.'
  static override examples = [
    '<%= config.bin %> <%= command.id %> ada',
    '<%= config.bin %> <%= command.id %> ada --redirect-url https://app.example/linked --filter whoop --filter zwift',
    '<%= config.bin %> <%= command.id %> ada --redirect-url https://app.example/linked --on-error redirect --on-close redirect',
  ]
  static override args = { user: userArgument() }
  static override flags = {
    provider: string({ description: 'the only provider it is for', helpValue: 'SLUG' }),
    filter: string({
      description: 'offer this provider; repeat it for more',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'SLUG',
    }),
    'redirect-url': string({ description: 'where the user goes afterwards', helpValue: 'URL' }),
    'on-error': option({
      options: ['redirect'] as const,
      description: 'the link page goes to the redirect URL after an error; else one can try again there',
      dependsOn: ['redirect-url'],
    })(),
    'on-close': option({
      options: ['redirect'] as const,
      description: 'the link page goes to the redirect URL when it is closed',
      dependsOn: ['redirect-url'],
    })(),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LinkToken)
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
        'link_web_url is null because no server runs on this data folder: start `svc serve`, or set SVC_PUBLIC_URL.',
      )
    }
  }
}
