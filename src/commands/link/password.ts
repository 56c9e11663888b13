/** `svc link password`. */
import { boolean, string } from '@oclif/core/flags'
import { optionalProviderArgument } from '../../cli/arguments/arguments.ts'
import { LinkCommand } from '../../cli/links/link-command.ts'
import { completePending } from '../../cli/links/link-session.ts'
import { askChoice, askSecret, askText } from '../../cli/runtime/prompt.ts'
import { readSecret } from '../../cli/runtime/standard-input.ts'

export default class LinkPassword extends LinkCommand {
  static override summary = 'Link a provider with a user name and password'
  static override description =
    'On a terminal, prompts for what is missing: the password without echo, and the code if the provider sends ' +
    'one. Always prints the link result. A failed link exits with 6, a link that waits for its code with 0. With ' +
    'a link token in SVC_LINK_TOKEN, links the user of that token, and --user is not needed.'
  static override examples = [
    '<%= config.bin %> <%= command.id %> whoop --user ada',
    'printf %s "$PASSWORD" | <%= config.bin %> <%= command.id %> whoop --user ada --username ada@example.com --password-stdin',
    'SVC_LINK_TOKEN="$TOKEN" <%= config.bin %> <%= command.id %> whoop',
  ]
  static override args = { provider: optionalProviderArgument() }
  static override flags = {
    user: string({ description: 'User to link', helpValue: 'USER' }),
    username: string({ description: 'User name at the provider' }),
    'password-stdin': boolean({ description: 'Read the password from stdin' }),
    region: string({ description: 'Region of the account, if the provider has regions' }),
    'mfa-code': string({ description: 'Code from the provider, if you already know it', helpValue: 'CODE' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LinkPassword)
    const { user } = flags
    const { provider, regions, linkToken: token } = await this.target('password', { provider: args.provider, user })
    // Create the link token first, so that an unknown user is refused before a password is typed.
    const linkToken = await token()
    const username = flags.username ?? (await this.need('--username', () => askText('User name')))
    const password = flags['password-stdin']
      ? await readSecret('--password-stdin')
      : await this.need('--password-stdin', () => askSecret('Password'))
    const region =
      flags.region ??
      (regions.length > 0
        ? await this.need('--region', () =>
            askChoice(
              'Region',
              regions.map(name => ({ name })),
            ),
          )
        : undefined)
    const params = { provider }
    const first = await this.ask('link.password', { params, body: { username, password, region } }, { linkToken })
    const result = await completePending(first, flags['mfa-code'], {
      askCode: this.canAsk ? askText : undefined,
      say: line => process.stderr.write(`${line}\n`),
      complete: mfa_code => this.ask('link.complete_mfa', { params, body: { mfa_code } }, { linkToken }),
    })
    await this.report(result, completing(provider, user))
  }
}

/** Returns the command that completes a pending link. It does not repeat the link token. */
function completing(provider: string, user: string | undefined): string {
  return user === undefined
    ? `SVC_LINK_TOKEN=… svc link complete-mfa ${provider} --mfa-code CODE`
    : `svc link complete-mfa ${provider} --user ${user} --mfa-code CODE`
}
