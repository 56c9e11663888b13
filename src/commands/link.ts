/** `svc link`. */

import { SHIPPED_REGISTRY } from '../catalogue/providers.ts'
import { optionalProviderArgument } from '../cli/arguments/arguments.ts'
import type { LinkTarget } from '../cli/links/link-command.ts'
import { emailFlags, linkUserFlag, oauthFlags, passwordFlags } from '../cli/links/link-flags.ts'
import { OAuthLinkCommand } from '../cli/links/oauth-command.ts'
import { LINK_COMMANDS } from '../cli/links/offer.ts'
import { toExamples } from '../cli/runtime/base-command.ts'
import { isGiven } from '../cli/runtime/command-line.ts'
import { unknownCommand } from '../cli/runtime/usage.ts'
import { ServiceError } from '../core/errors.ts'

const FLAGS = { password: passwordFlags(), email: emailFlags(), oauth: oauthFlags() }

export default class Link extends OAuthLinkCommand {
  static override summary = 'Link a provider, using its own sign-in method'
  static override description =
    'Does what `svc link password`, `svc link email` or `svc link oauth` does for the provider. On a terminal, ' +
    'prompts for missing values, including the provider and the region. Accepts the flags of all three commands and ' +
    "refuses those that do not apply to the provider. With a link token in SVC_LINK_TOKEN, links the token's user, " +
    'and --user is not needed.'
  static override examples = toExamples('--user ada', 'whoop --user ada', 'oura --user ada --approve')
  static override args = { provider: optionalProviderArgument() }
  static override flags = { user: linkUserFlag(), ...FLAGS.email, ...FLAGS.password, ...FLAGS.oauth }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Link)
    if (flags['callback-url-stdin']) return this.byCallback(args.provider, flags.user, flags)
    const target = await this.target(undefined, {
      provider: args.provider,
      user: flags.user,
      redirectUrl: flags['redirect-url'],
    })
    this.checkFlags(target)
    switch (target.authType) {
      case 'password':
        return this.byPassword(target, flags)
      case 'email':
        return this.byEmail(target, flags)
      case 'oauth':
        return this.byOAuth(target, flags)
    }
  }

  /** Throws ServiceError `usage` for a flag that does not apply to this provider. */
  private checkFlags({ name, authType }: LinkTarget): void {
    const used = Object.keys(FLAGS[authType])
    const unused = Object.keys(Link.flags).filter(
      flag => flag !== 'user' && !used.includes(flag) && isGiven(this.argv, flag),
    )
    if (unused.length === 0) return
    const list = (flags: readonly string[]) => flags.map(flag => `--${flag}`).join(', ')
    throw new ServiceError('usage', `${list(unused)} cannot be used with ${name}.`, {
      suggestions: [`Flags for ${name}: ${list(used)}.`],
    })
  }

  /** Reports extra words after the provider as a mistyped command, as in `svc link passwrd zwift`. */
  protected override async catch(thrown: Error): Promise<void> {
    const [word = ''] = this.argv
    const isExcess = 'args' in thrown && Array.isArray(thrown.args) && thrown.args.length > 0
    const isCommand = isExcess && !word.startsWith('-') && SHIPPED_REGISTRY.find(word) === undefined
    const commands = LINK_COMMANDS.map(each => `link:${each}`)
    return super.catch(isCommand ? unknownCommand(`link:${word}`, commands) : thrown)
  }
}
