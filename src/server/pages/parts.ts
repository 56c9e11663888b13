/** Parts that several pages share: the error summary, hidden fields, and labeled inputs. */
import { type Html, html, type Part } from './html.ts'

/** Errors by field name. */
export type Faults = Readonly<Record<string, string>>

/**
 * Returns the error summary. The summary comes first on the page and has the focus, so that screen readers read it. Each error links to its
 * field.
 */
export function problemBox(
  problem: { readonly title: string; readonly advice: Part } | null,
  faults: Faults = {},
): Part {
  const wrong = Object.entries(faults)
  if (problem === null && wrong.length === 0) return null
  return html`<div class="problem" role="alert" tabindex="-1" autofocus aria-labelledby="problem-title">
<h2 id="problem-title">${problem?.title ?? 'Something is missing or not valid'}</h2>
${problem && html`<p>${problem.advice}</p>`}
${wrong.length > 0 && html`<ul>${wrong.map(([name, fault]) => html`<li><a href="#${name}">${fault}</a></li>`)}</ul>`}
</div>`
}

export function hidden(values: Readonly<Record<string, string>>): Html[] {
  return Object.entries(values).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
}

export interface PageField {
  readonly name: string
  readonly label: string
  readonly type?: 'text' | 'password' | 'email'
  readonly autocomplete: string
  readonly value?: string
  readonly help?: string
  readonly fault?: string | undefined
  readonly isRequired?: boolean
  /** Whether only digits are expected, so that phones show a number pad. */
  readonly isNumeric?: boolean
  readonly mostCharacters: number
}

export function input(field: PageField): Html {
  const { name, label, type = 'text', value = '', help, fault, isRequired = true } = field
  return html`<div class="field">
<label for="${name}">${label}</label>
${aboutField(name, help, fault)}
<input id="${name}" name="${name}" type="${type}" value="${value}" maxlength="${field.mostCharacters}" autocomplete="${field.autocomplete}" autocapitalize="none" spellcheck="false"${isRequired && html` aria-required="true"`}${field.isNumeric && html` inputmode="numeric"`}${described(name, help, fault)}>
</div>`
}

export function select(field: {
  readonly name: string
  readonly label: string
  readonly options: readonly string[]
  readonly value: string
  readonly fault?: string | undefined
}): Html {
  const { name, label, options, value, fault } = field
  return html`<div class="field">
<label for="${name}">${label}</label>
${aboutField(name, undefined, fault)}
<select id="${name}" name="${name}" aria-required="true"${described(name, undefined, fault)}>
<option value="">Choose</option>
${options.map(each => html`<option value="${each}"${each === value && html` selected`}>${regionName(each)}</option>`)}
</select>
</div>`
}

function aboutField(name: string, help: string | undefined, fault: string | undefined): Part {
  return [
    help !== undefined && html`<small id="${name}-help">${help}</small>`,
    fault !== undefined && html`<p class="wrong" id="${name}-fault">${fault}</p>`,
  ]
}

function described(name: string, help: string | undefined, fault: string | undefined): Part {
  const ids = [help !== undefined && `${name}-help`, fault !== undefined && `${name}-fault`].filter(Boolean).join(' ')
  return [ids !== '' && html` aria-describedby="${ids}"`, fault !== undefined && html` aria-invalid="true"`]
}

/** Returns the display name of a region, including `eu`, which is not a country. */
function regionName(region: string): string {
  if (region === 'eu') return 'European Union'
  return new Intl.DisplayNames('en', { type: 'region' }).of(region.toUpperCase()) ?? region
}
