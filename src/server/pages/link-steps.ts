/** Decides which step of the link page to show for a token, and where to go after a step. */
import type { Provider } from '../../catalogue/provider.ts'
import type { LinkErrorType } from '../../contract/links/link.ts'
import type { LinkResult } from '../../engine/links/results.ts'
import type { LinkTokenRecord } from '../../store/link.ts'
import type { Html } from './html.ts'
import { awayView, chooseView, codeView, failedView, type LinkStep, signInView, type Typed } from './link-views.ts'
import type { PageOutcome } from './outcome.ts'
import type { Faults } from './parts.ts'
import { findProblem, type PageProblem } from './problems.ts'
import { endUrl } from './return-url.ts'

/** A link that can still be used. */
export interface OpenLink {
  readonly base: string
  /** The token itself, as in the page's URL. */
  readonly token: string
  readonly record: LinkTokenRecord
  /** The providers that the token may be used for. */
  readonly providers: readonly Provider[]
  /** Slugs of the providers that are live for the team. */
  readonly live: ReadonlySet<string>
}

export interface RequestedStep {
  /** Slug, or ''. */
  readonly provider: string
  readonly problem?: PageProblem | null
  /** Whether to sign in again even though a code is pending. */
  readonly isAgain?: boolean
  /** Whether to go back to the list of providers. */
  readonly isChoosing?: boolean
}

/** Returns the step's page. Skips the list if there is only one provider, and asks for the code if one is pending. */
export function renderStep(link: OpenLink, requested: RequestedStep): PageOutcome {
  const { providers, record } = link
  const problem = requested.problem ?? null
  if (providers.length === 0) {
    const nothing = {
      title: 'Nothing to connect',
      advice: "None of this link's providers can be connected on a page. Go back to the application.",
    }
    return { page: { title: nothing.title, body: failedView(nothing, null) } }
  }
  const only = providers.length === 1 ? providers[0] : undefined
  const chosen = requested.isChoosing ? only : (providers.find(each => each.slug === requested.provider) ?? only)
  if (!chosen) return chooseStep(link, requested, problem)
  const isWaiting = record.pending?.provider === chosen.slug && !requested.isAgain
  return isWaiting ? codeStep(link, chosen, { problem }) : signInStep(link, chosen, { problem })
}

function chooseStep(link: OpenLink, requested: RequestedStep, given: PageProblem | null): PageOutcome {
  const isUnknown = requested.provider !== '' && !requested.isChoosing
  const problem = isUnknown
    ? { title: 'That provider is not available here', advice: 'Choose one of the providers below.' }
    : given
  const { providers, live } = link
  const outcome = linkPage(link, 'Connect a provider', problem !== null, chooseView(stepFor(link, problem), providers))
  if (providers.every(each => live.has(each.slug))) return withNotice(outcome, ALL_ARE_LIVE)
  return withNotice(outcome, providers.some(each => live.has(each.slug)) ? SOME_ARE_LIVE : SIMULATED)
}

interface Trouble {
  readonly problem?: PageProblem | null
  readonly faults?: Faults
  readonly typed?: Typed
}

export function signInStep(link: OpenLink, provider: Provider, trouble: Trouble): PageOutcome {
  const { problem = null, faults = {}, typed = {} } = trouble
  const hasOthers = link.providers.length > 1
  const body = signInView({ ...stepFor(link, problem), provider, typed, faults, hasOthers })
  const outcome = linkPage(link, `Connect ${provider.name}`, isTrouble(trouble), body)
  return withNotice(outcome, link.live.has(provider.slug) ? liveNotice(provider) : SIMULATED)
}

export function codeStep(link: OpenLink, provider: Provider, trouble: Trouble): PageOutcome {
  const { pending } = link.record
  if (!pending) return signInStep(link, provider, trouble)
  const { problem = null, faults = {} } = trouble
  const body = codeView({ ...stepFor(link, problem), provider, pending, faults })
  return withNotice(linkPage(link, 'Enter the code', isTrouble(trouble), body), SIMULATED)
}

/**
 * Returns a page that redirects to a live provider by itself. An HTTP redirect would not work, because browsers apply `form-action` to it
 * and to all later redirects by the provider.
 */
export function awayStep(provider: Provider, url: string): PageOutcome {
  const notice = liveNotice(provider)
  return { page: { title: `Continue to ${provider.name}`, body: awayView(provider, url), goesTo: url, notice } }
}

/** Returns the next step after a result: the code, the application, or another attempt. */
export function settle(
  link: OpenLink,
  result: LinkResult,
  tryAgain: (problem: PageProblem | null) => PageOutcome,
): PageOutcome {
  const { base, token, record } = link
  const provider = encodeURIComponent(result.provider)
  if (result.state === 'pending_provider_mfa') {
    return { to: `${base}/link?token=${encodeURIComponent(token)}&provider=${provider}` }
  }
  if (result.state === 'success') {
    return { to: endUrl(record, { state: 'success' }) ?? `${base}/link/done?provider=${provider}` }
  }
  const errorType = result.error_type ?? 'provider_api_error'
  const back = endUrl(record, { state: 'error', errorType, error: result.error ?? '' })
  if (back !== null && record.onError === 'redirect') return { to: back }
  return tryAgain(findProblem(errorType))
}

/** Returns the next step after an error that another attempt cannot fix: the application if it requested redirects, otherwise a page. */
export function refusal(record: LinkTokenRecord | null, errorType: LinkErrorType, error: string): PageOutcome {
  const back = record && endUrl(record, { state: 'error', errorType, error })
  if (back !== null && record?.onError === 'redirect') return { to: back }
  return failedStep(errorType, back)
}

/** Returns a page about an error; `back` is the application's URL. */
export function failedStep(errorType: string, back: string | null): PageOutcome {
  const problem = findProblem(errorType) ?? {
    title: 'The link failed',
    advice: 'Go back to the application and start again.',
  }
  return failedPage(problem, back)
}

/** Returns a page about a problem; `back` is the application's URL. */
export function failedPage(problem: PageProblem, back: string | null, status = 400): PageOutcome {
  return { page: { title: problem.title, body: failedView(problem, back), status } }
}

export function closeLink({ base, record }: OpenLink): PageOutcome {
  const error = 'The user closed the link page'
  const back = endUrl(record, { state: 'error', errorType: 'user_cancelled', error })
  return { to: back !== null && record.onClose === 'redirect' ? back : `${base}/link/closed` }
}

function stepFor({ base, token }: OpenLink, problem: PageProblem | null): LinkStep {
  return { base, token, problem }
}

function isTrouble({ problem, faults }: Trouble): boolean {
  return (problem ?? null) !== null || Object.keys(faults ?? {}).length > 0
}

/** The text on simulated providers' pages. */
export const SIMULATED =
  'These providers are simulated: nothing that you enter here leaves this server. Never enter a real password.'

const ALL_ARE_LIVE = 'You sign in at the provider itself. Nothing that you enter there reaches this server.'

const SOME_ARE_LIVE = "Some of these providers are simulated. Enter a real password only on the provider's own page."

/** Returns the text for a live provider's page. */
export function liveNotice({ name }: Provider): string {
  return `You sign in at ${name} itself. Nothing that you enter there reaches this server.`
}

function withNotice(outcome: PageOutcome, notice: string): PageOutcome {
  return 'page' in outcome ? { page: { ...outcome.page, notice } } : outcome
}

/** Returns a step's page. After an error, the title starts with the error, because screen readers read the title first. */
function linkPage({ record }: OpenLink, title: string, isWrong: boolean, body: Html): PageOutcome {
  return {
    page: {
      title: isWrong ? `Error: ${title}` : title,
      body,
      status: isWrong ? 422 : 200,
      leadsTo: record.redirectUrl,
    },
  }
}
