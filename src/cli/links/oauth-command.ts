/** Base of the commands that link with a consent page: a simulated page, which a flag completes, or a live provider's page. */
import { ServiceError } from '../../core/errors.ts'
import { quotedPath } from '../../core/private-file.ts'
import { factSheet } from '../../output/view.ts'
import { interruptSignal } from '../runtime/interrupt.ts'
import { readSecretLine } from '../runtime/standard-input.ts'
import { LinkCommand, type LinkTarget } from './link-command.ts'
import type { OAuthValues } from './link-flags.ts'

export abstract class OAuthLinkCommand extends LinkCommand {
  /** Starts a sign-in with a consent page. A flag completes a simulated provider's page; a person completes a live provider's page. */
  protected async byOAuth(target: LinkTarget, flags: OAuthValues): Promise<void> {
    const { provider } = target
    const params = { provider }
    const source = await this.ask('link.oauth', { params }, { linkToken: await target.linkToken() })
    if (flags.approve || flags.deny) {
      const body = flags.deny
        ? { decision: 'deny' as const }
        : { decision: 'approve' as const, scopes: flags.grant, account: flags.account }
      return this.report(await this.ask('link.oauth_consent', { params, body }, { linkToken: source.state }))
    }
    const { findLiveSignIn, signInAtProvider } = await import('./live-sign-in.ts')
    const signIn = findLiveSignIn(source)
    if (signIn && !signIn.isCompletedByServer && this.canAsk) {
      const result = await signInAtProvider(signIn, {
        log: line => process.stderr.write(`${line}\n`),
        complete: parameters =>
          this.ask('link.oauth_callback', { params, body: { parameters } }, { linkToken: source.state }),
      })
      await this.report(result)
      return this.bringHistory(target, flags)
    }
    await this.print(source, factSheet({ provider: source.slug, oauth_url: source.oauth_url }))
    if (source.oauth_url === null) this.hint(target.isLive ? NO_REDIRECT_URL : NO_SERVER)
    else if (signIn && !signIn.isCompletedByServer) this.hint(completingOAuth(target))
  }

  /** Completes a sign-in that another command started. The URL on stdin identifies the sign-in and contains a code. */
  protected async byCallback(
    provider: string | undefined,
    user: string | undefined,
    flags: OAuthValues,
  ): Promise<void> {
    const { readReturn } = await import('./live-sign-in.ts')
    if (provider === undefined) throw new ServiceError('missing_input', '--callback-url-stdin needs PROVIDER.')
    const { parameters, state } = readReturn(await readSecretLine('--callback-url-stdin'))
    const params = { provider }
    await this.report(await this.ask('link.oauth_callback', { params, body: { parameters } }, { linkToken: state }))
    await this.bringHistory({ provider, name: provider, user }, flags)
  }

  /** Pulls the history of a new live connection if the engine is embedded. A server does this itself. */
  private async bringHistory(
    { provider, name, user }: Pick<LinkTarget, 'provider' | 'name' | 'user'>,
    flags: OAuthValues,
  ): Promise<void> {
    const shown = user === undefined ? 'USER' : quotedPath(user)
    if (this.settings.baseUrl.value !== null) {
      return this.hint(`The server pulls the history. To follow it: svc user pulls ${shown} --provider ${provider}`)
    }
    const rest = `\`svc user refresh ${shown}\`, \`svc engine run-due\` or \`svc serve\``
    if (flags['no-wait'] || user === undefined) return this.hint(`To pull the history, use ${rest}.`)
    const { pullHistory } = await import('./history-pull.ts')
    const signal = interruptSignal()
    const outcome = await this.withUser(user, user_id =>
      pullHistory({
        provider,
        name,
        signal,
        isQuiet: this.isQuiet,
        refresh: () =>
          this.ask('user.refresh', { params: { user_id }, query: { timeout: MOST_REFRESH_S } }, { signal }),
        look: () => this.ask('provider.status', { query: { user_id, provider } }),
      }),
    )
    if (outcome.kind === 'complete') this.hint(`The history is complete. To see it: svc user resources ${shown}`)
    else if (outcome.kind === 'failed')
      this.hint(`The history could not be pulled. To see why: svc provider status ${provider}`)
    else this.hint(`${outcome.why} To pull the rest, use ${rest}.`)
  }
}

/** Maximum duration of a refresh that the service allows, in seconds. */
const MOST_REFRESH_S = 60

const NO_REDIRECT_URL =
  'oauth_url is null because the OAuth app has no redirect URL, and no server runs on this data folder. Start `svc serve`, ' +
  'or run `svc provider setup` again with a --redirect-url such as http://localhost:8484/callback.'

const NO_SERVER =
  'oauth_url is null because no server runs on this data folder. Start `svc serve`, set SVC_PUBLIC_URL, or use --approve.'

/** Returns instructions for completing a sign-in at a live provider without a terminal. */
function completingOAuth({ provider, user }: LinkTarget): string {
  const flag = user === undefined ? '' : ` --user ${quotedPath(user)}`
  return (
    'Open oauth_url in a browser and complete the page. Then write the URL that it redirects to into the stdin of ' +
    `\`svc link oauth ${provider}${flag} --callback-url-stdin\`.`
  )
}
