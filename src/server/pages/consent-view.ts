/** The view of a provider's consent page: the scopes it offers, and the account. */
import type { Provider } from '../../catalogue/provider.ts'
import { type Html, html } from './html.ts'
import { hidden, input } from './parts.ts'

export interface ConsentForm {
  readonly base: string
  readonly provider: Provider
  readonly state: string
  /** The link token of the page that the user came from, or ''. */
  readonly from: string
}

export function consentView({ base, provider, state, from }: ConsentForm): Html {
  return html`<h1>Share ${provider.name} data?</h1>
<p>An application wants to read data from your ${provider.name} account. Clear the checkbox of anything you do not want to share.</p>
<form method="post" action="${base}/oauth/${encodeURIComponent(provider.slug)}">
${hidden({ state, from })}
${provider.scopes.length > 0 && html`<fieldset><legend>The application may read</legend>${provider.scopes.map(scopeLine)}</fieldset>`}
<details><summary>Simulate an account</summary>
${input({
  name: 'account',
  label: 'Account',
  autocomplete: 'off',
  help: 'Optional. taken@sandbox.test, down@sandbox.test, expired@sandbox.test, scopes@sandbox.test and wrong@sandbox.test each cause an error.',
  isRequired: false,
  mostCharacters: 512,
})}
</details>
<div class="actions"><button name="decision" value="approve">Allow</button><button class="plain" name="decision" value="deny">Do not allow</button></div>
</form>`
}

function scopeLine(scope: Provider['scopes'][number], i: number): Html {
  return html`<div class="scope"><input type="checkbox" id="scope-${i}" name="scope" value="${scope.name}" checked>
<label for="scope-${i}">${capital(scope.description)}${scope.required && html` <span class="tag">(required)</span>`}<small>${scope.name}</small></label></div>`
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
