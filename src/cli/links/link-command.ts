/** The base of the link commands: finds the user and the provider, asks for missing input, and reports the result. */
import { didYouMean, ServiceError } from '../../core/errors.ts'
import { SvcCommand } from '../runtime/base-command.ts'
import { askChoice } from '../runtime/prompt.ts'
import { givenLinkToken, type LinkResult, linkFailure, linkView } from './link-session.ts'

/** A way to sign in that has its own command. */
export type LinkAuthType = 'password' | 'email' | 'oauth'

const WORDS: Readonly<Record<LinkAuthType, string>> = {
  password: 'with a password',
  email: 'with an e-mail address',
  oauth: 'with a consent page',
}

export interface LinkTarget {
  readonly provider: string
  readonly regions: readonly string[]
  /** Returns the link token that was given, or creates one when it is needed. */
  readonly linkToken: () => Promise<string>
}

export abstract class LinkCommand extends SvcCommand {
  /** Finds the user and the provider before any secret is asked for. */
  protected async target(
    authType: LinkAuthType,
    given: { readonly provider: string | undefined; readonly user: string | undefined; readonly redirectUrl?: string },
  ): Promise<LinkTarget> {
    const { user } = given
    const linkToken = givenLinkToken(user)
    if (linkToken === undefined && user === undefined) {
      throw new ServiceError(
        'missing_input',
        'There is no user to connect: --user and SVC_LINK_TOKEN are both missing.',
        {
          suggestions: ['Give --user.'],
        },
      )
    }
    const offered = linkToken === undefined ? await this.offered(authType) : await this.offeredTo(linkToken, authType)
    const provider = given.provider ?? (await this.choose(offered, authType))
    const known = offered?.find(each => each.slug === provider)
    if (!known && offered && linkToken === undefined) throw unknownProvider(provider, offered, authType)
    return {
      provider,
      regions: known?.regions ?? [],
      linkToken: async () => linkToken ?? this.newLinkToken(user as string, given.redirectUrl),
    }
  }

  /** Asks for a value that no flag gives. Throws when there is no one to ask. */
  protected async need(flag: string, ask: () => Promise<string>): Promise<string> {
    if (this.canAsk) return ask()
    throw new ServiceError('missing_input', `${flag} is missing, and there is no terminal to prompt on.`, {
      suggestions: [`Give ${flag}.`],
    })
  }

  /** Prints a link result. Throws if the link failed; says how to continue if it waits for a code. */
  protected async report(result: LinkResult, completing?: string): Promise<void> {
    await this.print(result, linkView(result))
    if (result.state === 'error') throw linkFailure(result)
    if (result.state === 'pending_provider_mfa' && completing !== undefined) {
      this.hint(`The provider asks for a code. To continue: ${completing}`)
    }
  }

  private async choose(offered: readonly Offer[] | undefined, authType: LinkAuthType): Promise<string> {
    if (this.canAsk && offered && offered.length > 0) {
      return askChoice(
        'Provider',
        offered.map(each => ({ name: each.slug })),
      )
    }
    throw new ServiceError('missing_input', 'PROVIDER is missing, and there is no terminal to prompt on.', {
      suggestions: [`\`svc provider list --auth-type ${authType}\` lists the providers.`],
    })
  }

  private async newLinkToken(user: string, redirectUrl: string | undefined): Promise<string> {
    const made = await this.withUser(user, user_id =>
      this.ask('link.token', { body: { user_id, redirect_url: redirectUrl } }),
    )
    return made.link_token
  }

  private async offered(authType: LinkAuthType): Promise<readonly Offer[]> {
    const all = await this.ask('provider.list', {})
    return all
      .filter(each => each.auth_type === authType)
      .map(each => ({ slug: each.slug, regions: each.regions ?? [] }))
  }

  /** Returns undefined when the token is refused, because the result of the sign-in then gives the reason. */
  private async offeredTo(linkToken: string, authType: LinkAuthType): Promise<readonly Offer[] | undefined> {
    try {
      const all = await this.ask('link.providers', {}, { linkToken })
      return all
        .filter(each => each.auth_type === authType)
        .map(each => ({ slug: each.slug, regions: each.form_components['region']?.options ?? [] }))
    } catch (error) {
      if (error instanceof ServiceError && error.category !== 'network' && error.category !== 'cancelled')
        return undefined
      throw error
    }
  }
}

interface Offer {
  readonly slug: string
  readonly regions: readonly string[]
}

function unknownProvider(slug: string, offered: readonly Offer[], authType: LinkAuthType): ServiceError {
  const slugs = offered.map(each => each.slug)
  return new ServiceError(
    'unknown_provider',
    `No provider named "${slug}" connects ${WORDS[authType]}.${didYouMean(slug, slugs)}`,
    { suggestions: [`Providers that connect ${WORDS[authType]}: ${slugs.join(', ')}.`] },
  )
}
