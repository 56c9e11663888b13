/** The base of the commands that sign in at a provider: finds the user and the provider, prompts for missing input, and signs in. */
import { ServiceError } from '../../core/errors.ts'
import { SvcCommand } from '../runtime/base-command.ts'
import { askChoice, askSecret, askText } from '../runtime/prompt.ts'
import { readSecretLine } from '../runtime/standard-input.ts'
import type { EmailValues, LinkAuthType, PasswordValues } from './link-flags.ts'
import { type LinkResult, linkFailure, linkView, readLinkToken, signInWithCode } from './link-session.ts'
import { describeProviders, isLinkable, type LinkableOffer, type Offer, offerNamed, providerHint } from './offer.ts'

export interface LinkTarget extends Pick<LinkableOffer, 'authType' | 'name' | 'regions' | 'isLive'> {
  readonly provider: string
  readonly user: string | undefined
  /** Returns the given link token, or creates one when it is first needed. */
  readonly linkToken: () => Promise<string>
}

interface Given {
  readonly provider: string | undefined
  readonly user: string | undefined
  readonly redirectUrl?: string | undefined
}

export abstract class LinkCommand extends SvcCommand {
  /** Finds the user and the provider before prompting for a secret. `flow` is undefined if the sign-in method depends on the provider. */
  protected async target(flow: LinkAuthType | undefined, given: Given): Promise<LinkTarget> {
    const { user } = given
    const linkToken = readLinkToken(user)
    const offers = linkToken === undefined ? await this.allOffers() : await this.offersTo(linkToken, flow)
    const about = { flow, user }
    if (linkToken === undefined && given.provider !== undefined) offerNamed(given.provider, offers ?? [], about)
    if (linkToken === undefined && user === undefined) throw noUser()
    const slug = given.provider ?? (await this.choose(offers ?? [], flow))
    if (linkToken !== undefined && flow === undefined) checkToken(slug, offers ?? [])
    // the service refuses a provider that the token does not allow, and gives the reason
    const isUnknown = flow !== undefined && !offers?.some(each => each.slug === slug)
    const { name, authType, regions, isLive } = isUnknown
      ? { name: slug, authType: flow, regions: [], isLive: false }
      : offerNamed(slug, offers ?? [], about)
    return {
      provider: slug,
      name,
      authType,
      regions,
      isLive,
      user,
      linkToken: async () => linkToken ?? this.newLinkToken(user as string, given.redirectUrl), // checked above
    }
  }

  /** Signs in with a user name and a password, and completes the sign-in with a code if the provider asks for one. */
  protected async byPassword(target: LinkTarget, flags: PasswordValues): Promise<void> {
    const { provider, regions, user } = target
    // Create the link token first, so that an unknown user is refused before a password is typed.
    const linkToken = await target.linkToken()
    const params = { provider }
    let region = flags.region
    const signIn = async (isAgain: boolean): Promise<LinkResult> => {
      const given = isAgain ? undefined : flags.username
      const username = given ?? (await this.need('--username', () => askText('User name')))
      const password = flags['password-stdin']
        ? await readSecretLine('--password-stdin')
        : await this.need('--password-stdin', () => askSecret('Password'))
      if (region === undefined && regions.length > 0) region = await this.needRegion(regions)
      return this.ask('link.password', { params, body: { username, password, region } }, { linkToken })
    }
    const result = await signInWithCode(signIn, {
      code: flags['mfa-code'],
      askCode: this.canAsk
        ? message => askText(message).catch(error => throwPending(error, provider, user))
        : undefined,
      log: line => process.stderr.write(`${line}\n`),
      complete: mfa_code => this.ask('link.complete_mfa', { params, body: { mfa_code } }, { linkToken }),
    })
    await this.report(result)
    if (result.state === 'pending_provider_mfa') {
      this.hint(pendingLine(provider, user))
    }
  }

  /** Signs in with an e-mail address. */
  protected async byEmail(target: LinkTarget, flags: EmailValues): Promise<void> {
    const { provider, regions } = target
    const email = flags.email ?? (await this.need('--email', () => askText('E-mail address')))
    // A user who passed the e-mail address as a flag has accepted the default region.
    const isAsking = flags.email === undefined && regions.length > 0
    const region = flags.region ?? (isAsking ? await this.needRegion(regions) : undefined)
    const body = { email, region }
    const linkToken = await target.linkToken()
    await this.report(await this.ask('link.email', { params: { provider }, body }, { linkToken }))
  }

  /** Prints a link result. Throws if the link failed. */
  protected async report(result: LinkResult): Promise<void> {
    await this.print(result, linkView(result))
    if (result.state === 'error') throw linkFailure(result)
  }

  /** Prompts for a value whose flag is missing. Throws if prompts are not possible. */
  protected async need(flag: string, ask: () => Promise<string>, allowed = ''): Promise<string> {
    if (this.canAsk) return ask()
    throw new ServiceError('missing_input', `${flag} is missing, and there is no terminal to prompt on.`, {
      suggestions: [`Give ${flag}.${allowed}`],
    })
  }

  private needRegion(regions: readonly string[]): Promise<string> {
    const ask = () =>
      askChoice(
        'Region',
        regions.map(name => ({ name })),
      )
    return this.need('--region', ask, ` Allowed: ${regions.join(', ')}.`)
  }

  private async choose(offers: readonly Offer[], flow: LinkAuthType | undefined): Promise<string> {
    const fitting = offers.filter(isLinkable).filter(each => flow === undefined || each.authType === flow)
    if (this.canAsk && fitting.length > 0) {
      return askChoice(
        'Provider',
        fitting.map(each => ({ name: each.slug, hint: providerHint(each, flow) })),
      )
    }
    const why = this.canAsk ? 'the link token allows none' : 'there is no terminal to prompt on'
    throw new ServiceError('missing_input', `PROVIDER is missing, and ${why}.`, {
      suggestions: [fitting.length > 0 ? describeProviders(fitting, flow) : '`svc provider list` lists the providers.'],
    })
  }

  /** Creates a link token for a user. */
  protected async newLinkToken(user: string, redirectUrl?: string): Promise<string> {
    const made = await this.withUser(user, user_id =>
      this.ask('link.token', { body: { user_id, redirect_url: redirectUrl } }),
    )
    return made.link_token
  }

  /** Returns all providers. */
  protected async allOffers(): Promise<readonly Offer[]> {
    const all = await this.ask('provider.list', {})
    return all.map(each => ({
      slug: each.slug,
      name: each.name,
      authType: each.auth_type ?? '',
      regions: each.regions ?? [],
      isLive: each.mode === 'live',
    }))
  }

  /** Returns undefined if the token is refused and the sign-in result will contain the reason. */
  private async offersTo(linkToken: string, flow: LinkAuthType | undefined): Promise<readonly Offer[] | undefined> {
    try {
      const all = await this.ask('link.providers', {}, { linkToken })
      return all.map(each => ({
        slug: each.slug,
        name: each.name,
        authType: each.auth_type,
        regions: each.form_components['region']?.options ?? [],
        isLive: false,
      }))
    } catch (error) {
      const isRefusal = error instanceof ServiceError && error.category !== 'network' && error.category !== 'cancelled'
      if (isRefusal && flow !== undefined) return undefined
      throw error
    }
  }
}

function noUser(): ServiceError {
  return new ServiceError('missing_input', 'There is no user to connect: --user and SVC_LINK_TOKEN are both missing.', {
    suggestions: ['Give --user. `svc link --help` lists the ways to link.'],
  })
}

function checkToken(slug: string, offers: readonly Offer[]): void {
  if (offers.some(each => each.slug === slug)) return
  throw new ServiceError('unknown_provider', `The link token cannot be used for a provider named "${slug}".`, {
    suggestions: [describeProviders(offers, undefined)],
  })
}

/** Throws a cancellation that lists the remaining steps, because the sign-in has already started. */
function throwPending(error: unknown, provider: string, user: string | undefined): never {
  if (!(error instanceof ServiceError && error.code === 'cancelled')) throw error
  throw new ServiceError('cancelled', error.message, { suggestions: [pendingLine(provider, user)], cause: error })
}

function pendingLine(provider: string, user: string | undefined): string {
  return `The sign-in still waits for its code: ${completing(provider, user)}`
}

/** Returns the command that completes a pending link. It does not repeat the link token. */
function completing(provider: string, user: string | undefined): string {
  return user === undefined
    ? `SVC_LINK_TOKEN=… svc link complete-mfa ${provider} --mfa-code CODE`
    : `svc link complete-mfa ${provider} --user ${user} --mfa-code CODE`
}
