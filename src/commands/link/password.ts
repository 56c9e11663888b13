/** `svc link password`. */
import { boolean, string } from '@oclif/core/flags'
import { providerArgument } from '../../cli/arguments.ts'
import { SvcCommand } from '../../cli/base-command.ts'
import { completePending, givenLinkToken, type LinkResult, linkFailure, linkView } from '../../cli/link-session.ts'
import { askName, askSecret, askText } from '../../cli/prompt.ts'
import { readSecret } from '../../cli/standard-input.ts'
import { didYouMean, ServiceError } from '../../core/errors.ts'

export default class LinkPassword extends SvcCommand {
  static override summary = 'Link a provider that signs in with a user name and a password'
  static override description =
    'On a terminal it asks for what is missing, the password without echo, and for the code when the provider sends one. The ' +
    'link result is printed in every case; a failed link ends with 6, one that waits for its code with 0. With a link token ' +
    'made elsewhere (SVC_LINK_TOKEN) it links the user of that token, and needs no --user.'
  static override examples = [
    '<%= config.bin %> <%= command.id %> whoop --user ada',
    'printf %s "$PASSWORD" | <%= config.bin %> <%= command.id %> whoop --user ada --username ada@example.com --password-stdin',
    'SVC_LINK_TOKEN="$TOKEN" <%= config.bin %> <%= command.id %> whoop',
  ]
  static override args = { provider: providerArgument() }
  static override flags = {
    user: string({ description: 'who connects', helpValue: 'USER' }),
    username: string({ description: 'user name at the provider' }),
    'password-stdin': boolean({ description: 'read the password from stdin' }),
    region: string({ description: 'region of the account, where the provider has regions' }),
    'mfa-code': string({ description: 'the code, where it is known already', helpValue: 'CODE' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LinkPassword)
    const { user } = flags
    const given = givenLinkToken(user)
    if (given === undefined && user === undefined) {
      throw new ServiceError('missing_input', 'Who connects? --user or SVC_LINK_TOKEN is missing.', {
        suggestions: ['Give --user.'],
      })
    }
    const regions = await this.regionsOf(args.provider, given !== undefined)
    const linkToken = given ?? (await this.newLinkToken(user as string))
    const username = flags.username ?? (await this.need('--username', () => askText('User name')))
    const password = flags['password-stdin']
      ? await readSecret('--password-stdin')
      : await this.need('--password-stdin', () => askSecret('Password'))
    const region =
      flags.region ?? (regions.length > 0 ? await this.need('--region', () => askName('Region', regions)) : undefined)
    const params = { provider: args.provider }
    const first = await this.ask('link.password', { params, body: { username, password, region } }, { linkToken })
    const result = await completePending(first, flags['mfa-code'], {
      askCode: this.canAsk ? askText : undefined,
      say: line => process.stderr.write(`${line}\n`),
      complete: mfa_code => this.ask('link.complete_mfa', { params, body: { mfa_code } }, { linkToken }),
    })
    await this.report(result, completing(args.provider, user))
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

  private async newLinkToken(user: string): Promise<string> {
    const made = await this.withUser(user, user_id => this.ask('link.token', { body: { user_id } }))
    return made.link_token
  }

  /** The regions that the provider offers. Throws before anything secret is asked for when it is no password provider. */
  private async regionsOf(slug: string, hasLinkToken: boolean): Promise<readonly string[]> {
    const all = await this.ask('provider.list', {}).catch((error: unknown) => {
      // who has a link token needs no API key, and the list needs one: the service says by itself when a region is missing
      if (hasLinkToken && error instanceof ServiceError && error.category === 'auth') return undefined
      throw error
    })
    if (!all) return []
    const providers = all.filter(each => each.auth_type === 'password')
    const provider = providers.find(each => each.slug === slug)
    if (provider) return provider.regions ?? []
    const slugs = providers.map(each => each.slug)
    throw new ServiceError('unknown_provider', `"${slug}" is no provider with a password.${didYouMean(slug, slugs)}`, {
      suggestions: [`Password providers: ${slugs.join(', ')}.`],
    })
  }
}

/** The command that completes a pending link; it does not repeat the link token. */
function completing(provider: string, user: string | undefined): string {
  return user === undefined
    ? `SVC_LINK_TOKEN=… svc link complete-mfa ${provider} --mfa-code CODE`
    : `svc link complete-mfa ${provider} --user ${user} --mfa-code CODE`
}
