/** `svc link complete-mfa`. */
import { boolean, string } from '@oclif/core/flags'
import { providerArgument } from '../../cli/arguments/arguments.ts'
import { LinkCommand } from '../../cli/links/link-command.ts'
import { readLinkToken } from '../../cli/links/link-session.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { askText } from '../../cli/runtime/prompt.ts'
import { readSecretLine } from '../../cli/runtime/standard-input.ts'
import { ServiceError } from '../../core/errors.ts'

export default class LinkCompleteMfa extends LinkCommand {
  static override summary = 'Complete a link with the code the provider sent'
  static override description =
    "With --user, completes the user's pending sign-in. With a link token (--link-token-stdin or " +
    'SVC_LINK_TOKEN), completes the sign-in of that token.'
  static override examples = toExamples(
    'whoop --user ada --mfa-code 123456',
    'printf %s "$TOKEN" | <%= config.bin %> <%= command.id %> whoop --link-token-stdin --mfa-code 123456',
  )
  static override args = { provider: providerArgument() }
  static override flags = {
    user: string({ description: 'User whose sign-in is pending', exclusive: ['link-token-stdin'], helpValue: 'USER' }),
    'link-token-stdin': boolean({ description: 'Read the link token from stdin' }),
    'mfa-code': string({ description: 'Code from the provider', helpValue: 'CODE' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LinkCompleteMfa)
    const linkToken = flags['link-token-stdin'] ? await readSecretLine('--link-token-stdin') : readLinkToken(flags.user)
    const { user } = flags
    if (linkToken === undefined && user === undefined) {
      throw new ServiceError(
        'missing_input',
        'There is no sign-in to complete: --user, --link-token-stdin and SVC_LINK_TOKEN are all missing.',
        {
          suggestions: ['Give --user to complete the pending sign-in of a user.'],
        },
      )
    }
    const body = { mfa_code: flags['mfa-code'] ?? (await this.need('--mfa-code', () => askText('Code'))) }
    const { provider } = args
    const result =
      linkToken !== undefined
        ? await this.ask('link.complete_mfa', { params: { provider }, body }, { linkToken })
        : await this.withUser(user as string, user_id =>
            this.ask('link.complete_mfa_for_user', { params: { user_id, provider }, body }),
          )
    await this.report(result)
  }
}
