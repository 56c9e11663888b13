/** `svc link password`. */
import { boolean, string } from '@oclif/core/flags'
import { providerArgument } from '../../cli/arguments.ts'
import { SvcCommand } from '../../cli/base-command.ts'
import { completePending, type LinkResult, linkFailure, linkView } from '../../cli/link-session.ts'
import { askChoice, askSecret, askText } from '../../cli/prompt.ts'
import { readSecret } from '../../cli/standard-input.ts'
import { didYouMean, ServiceError } from '../../core/errors.ts'

export default class LinkPassword extends SvcCommand {
  static override summary = 'Link a provider that signs in with a user name and a password'
  static override description =
    'On a terminal it asks for what is missing, the password without echo, and for the code when the provider sends one. The ' +
    'link result is printed in every case; a failed link ends with 6, one that waits for its code with 0.'
  static override examples = [
    '<%= config.bin %> <%= command.id %> whoop --user ada',
    'printf %s "$PASSWORD" | <%= config.bin %> <%= command.id %> whoop --user ada --username ada@example.com --password-stdin',
  ]
  static override args = { provider: providerArgument() }
  static override flags = {
    user: string({ required: true, description: 'who connects', helpValue: 'USER' }),
    username: string({ description: 'user name at the provider' }),
    'password-stdin': boolean({ description: 'read the password from stdin' }),
    region: string({ description: 'region of the account, where the provider has regions' }),
    'mfa-code': string({ description: 'the code, where it is known already', helpValue: 'CODE' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LinkPassword)
    const regions = await this.regionsOf(args.provider)
    const { link_token: linkToken } = await this.withUser(flags.user, user_id =>
      this.ask('link.token', { body: { user_id } }),
    )
    const username = flags.username ?? (await this.need('--username', () => askText('User name')))
    const password = flags['password-stdin']
      ? await readSecret('--password-stdin')
      : await this.need('--password-stdin', () => askSecret('Password'))
    const region =
      flags.region ?? (regions.length > 0 ? await this.need('--region', () => askChoice('Region', regions)) : undefined)
    const params = { provider: args.provider }
    const first = await this.ask('link.password', { params, body: { username, password, region } }, { linkToken })
    const result = await completePending(first, flags['mfa-code'], {
      askCode: this.canAsk ? askText : undefined,
      say: line => process.stderr.write(`${line}\n`),
      complete: mfa_code => this.ask('link.complete_mfa', { params, body: { mfa_code } }, { linkToken }),
    })
    await this.report(result, `svc link complete-mfa ${args.provider} --user ${flags.user} --mfa-code CODE`)
  }

  private async report(result: LinkResult, completing: string): Promise<void> {
    await this.print(result, linkView(result))
    if (result.state === 'error') throw linkFailure(result)
    if (result.state === 'pending_provider_mfa') this.hint(`It waits for the provider’s code: ${completing}`)
  }

  /** What stands on no flag is asked for, or is an error where nobody can be asked. */
  private async need(flag: string, ask: () => Promise<string>): Promise<string> {
    if (this.canAsk) return ask()
    throw new ServiceError('missing_input', `${flag} is missing, and there is no terminal to ask on.`, {
      suggestions: [`Give ${flag}.`],
    })
  }

  /** The regions that the provider offers. Throws before anything secret is asked for when it is no password provider. */
  private async regionsOf(slug: string): Promise<readonly string[]> {
    const providers = (await this.ask('provider.list', {})).filter(each => each.auth_type === 'password')
    const provider = providers.find(each => each.slug === slug)
    if (provider) return provider.regions ?? []
    const slugs = providers.map(each => each.slug)
    throw new ServiceError('unknown_provider', `"${slug}" is no provider with a password.${didYouMean(slug, slugs)}`, {
      suggestions: [`Password providers: ${slugs.join(', ')}.`],
    })
  }
}
