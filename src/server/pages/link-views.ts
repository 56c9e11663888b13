/** The views of the link page's steps: choosing a provider, signing in, entering the code, and the end. */
import type { Provider } from '../../catalogue/provider.ts'
import type { PendingMfa } from '../../store/link.ts'
import { type Html, html, type Part } from './html.ts'
import { type Faults, hidden, input, problemBox, select } from './parts.ts'
import type { PageProblem } from './problems.ts'

/** Values that every step passes on. */
export interface LinkStep {
  /** The public URL's path. */
  readonly base: string
  readonly token: string
  readonly problem: PageProblem | null
}

export function chooseView(step: LinkStep, providers: readonly Provider[]): Html {
  return html`${problemBox(step.problem)}
<h1>Connect a provider</h1>
<p>Choose where your data comes from.</p>
<nav aria-label="Providers"><ul class="choices">
${providers.map(each => html`<li><a href="${providerUrl(step, each.slug)}"><span class="mark" aria-hidden="true">${each.name.slice(0, 1)}</span><span class="about"><strong>${each.name}</strong><small>${each.description}</small></span></a></li>`)}
</ul></nav>
${closing(step)}`
}

/** Values entered before, except the password, which must be entered again. */
export interface Typed {
  readonly username?: string
  readonly email?: string
  readonly region?: string
}

export interface SignInView extends LinkStep {
  readonly provider: Provider
  readonly typed: Typed
  readonly faults: Faults
  /** Whether there are other providers to choose from. */
  readonly hasOthers: boolean
}

export function signInView(page: SignInView): Html {
  const { base, token, provider, problem, faults, hasOthers } = page
  return html`${problemBox(problem, faults)}
<h1>${provider.authType === 'oauth' ? `Connect ${provider.name}` : `Sign in to ${provider.name}`}</h1>
<form method="post" action="${base}/link" novalidate>
${hidden({ token, provider: provider.slug, action: provider.authType === 'oauth' ? 'consent' : 'sign-in' })}
${signInFields(page)}
<div class="actions"><button>${provider.authType === 'oauth' ? `Continue to ${provider.name}` : 'Sign in'}</button></div>
</form>
${hasOthers && html`<p><a href="${base}/link?token=${encodeURIComponent(token)}&choose=1">Choose another provider</a></p>`}
${closing(page)}`
}

function signInFields({ provider, typed, faults }: SignInView): Part {
  // the region has a default for sign-in by e-mail, and must be chosen for sign-in by password
  const usual = provider.authType === 'email' && provider.regions.includes('us') ? 'us' : ''
  const region =
    provider.regions.length > 0 &&
    select({
      name: 'region',
      label: 'Region of your account',
      options: provider.regions,
      value: typed.region ?? usual,
      fault: faults['region'],
    })
  switch (provider.authType) {
    case 'oauth':
      return html`<p>You will sign in at ${provider.name} and choose what the application may read.</p>`
    case 'email':
      return [
        input({
          name: 'email',
          label: 'E-mail address',
          type: 'email',
          autocomplete: 'email',
          value: typed.email ?? '',
          help: 'The address that your data is shared with.',
          fault: faults['email'],
          mostCharacters: 320,
        }),
        region,
      ]
    default:
      return [
        input({
          name: 'username',
          label: 'User name or e-mail address',
          autocomplete: 'username',
          value: typed.username ?? '',
          fault: faults['username'],
          mostCharacters: 512,
        }),
        input({
          name: 'password',
          label: 'Password',
          type: 'password',
          autocomplete: 'current-password',
          fault: faults['password'],
          mostCharacters: 1024,
        }),
        region,
      ]
  }
}

export interface CodeStep extends LinkStep {
  readonly provider: Provider
  readonly pending: Pick<PendingMfa, 'method' | 'hint'>
  readonly faults: Faults
}

export function codeView(page: CodeStep): Html {
  const { base, token, provider, pending, problem, faults } = page
  return html`${problemBox(problem, faults)}
<h1>Enter the code</h1>
<p>${provider.name} sent a code by ${pending.method === 'sms' ? 'SMS' : 'e-mail'} to ${pending.hint}.</p>
<form method="post" action="${base}/link" novalidate>
${hidden({ token, provider: provider.slug, action: 'code' })}
${input({
  name: 'mfa_code',
  label: 'Code',
  autocomplete: 'one-time-code',
  fault: faults['mfa_code'],
  isNumeric: true,
  mostCharacters: 64,
})}
<div class="actions"><button>Continue</button></div>
</form>
<p><a href="${providerUrl(page, provider.slug)}&amp;again=1">Sign in again for a new code</a></p>
${closing(page)}`
}

/** Returns the page that is shown until the provider's page loads. */
export function awayView(provider: Provider, url: string): Html {
  return html`<h1>Continue to ${provider.name}</h1>
<p>You are being redirected to ${provider.name} to sign in there and choose what the application may read.</p>
<p><a class="button" href="${url}">Continue to ${provider.name}</a></p>`
}

export function doneView(provider: Provider | undefined): Html {
  return html`<h1 class="done">${provider ? `${provider.name} is connected` : 'Connected'}</h1>
<p>Your data is on its way. You can close this page.</p>`
}

export function closedView(): Html {
  return html`<h1>Nothing was connected</h1>
<p>You can close this page. The link works until you use it, for at most one hour.</p>`
}

/** Returns a page about a problem, with a link back if its URL is known. */
export function failedView(problem: { readonly title: string; readonly advice: Part }, back: string | null): Html {
  return html`<h1>${problem.title}</h1>
<p>${problem.advice}</p>
${back !== null && html`<p><a class="button" href="${back}">Back to the application</a></p>`}`
}

/** Returns the Cancel button in a separate form, so that Enter in a field never cancels. */
function closing({ base, token }: LinkStep): Html {
  return html`<form method="post" action="${base}/link">
${hidden({ token, action: 'close' })}
<button class="plain">Cancel</button>
</form>`
}

function providerUrl({ base, token }: LinkStep, provider: string): string {
  return `${base}/link?token=${encodeURIComponent(token)}&provider=${encodeURIComponent(provider)}`
}
