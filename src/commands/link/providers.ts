/** `svc link providers`. */
import { string } from '@oclif/core/flags'
import { LinkCommand } from '../../cli/links/link-command.ts'
import { readLinkToken } from '../../cli/links/link-session.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { ServiceError } from '../../core/errors.ts'
import { fields, view } from '../../output/view.ts'

export default class LinkProviders extends LinkCommand {
  static override summary = 'List the providers a link token can be used for'
  static override description =
    'Uses the token in SVC_LINK_TOKEN, or a new token for --user. The asks column lists the fields of the sign-in form.'
  static override examples = toExamples('SVC_LINK_TOKEN="$TOKEN" <%= config.bin %> <%= command.id %>', '--user ada')
  static override flags = {
    user: string({ description: 'Create a new token for this user', helpValue: 'USER' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(LinkProviders)
    const linkToken = readLinkToken(flags.user) ?? (await this.tokenFor(flags.user))
    const providers = await this.ask('link.providers', {}, { linkToken })
    await this.print(
      providers,
      view(
        providers,
        {
          ...fields<(typeof providers)[number]>('slug', 'name', 'auth_type'),
          asks: each => Object.keys(each.form_components).join(' '),
        },
        'This token cannot be used for any provider.',
      ),
    )
  }

  private async tokenFor(user: string | undefined): Promise<string> {
    if (user === undefined) {
      throw new ServiceError('missing_input', 'There is no link token: --user and SVC_LINK_TOKEN are both missing.', {
        suggestions: ['Give --user.'],
      })
    }
    return this.newLinkToken(user)
  }
}
