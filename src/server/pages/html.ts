/** HTML that is safe by construction: a template escapes every value that was not itself built by a template. */

/** A piece of HTML. Only `html` creates it. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The values that a template may contain: texts, numbers, HTML, lists of these, and empty values. */
export type Part = string | number | Html | false | null | undefined | readonly Part[]

/** Builds HTML: `` html`<p title="${title}">${text}</p>` ``. Attributes must be in double quotes. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, i) => text + partText(parts[i])).join(''))
}

function partText(part: Part): string {
  if (part instanceof Html) return part.text
  if (Array.isArray(part)) return (part as readonly Part[]).map(partText).join('')
  if (part === null || part === undefined || part === false) return ''
  return String(part).replace(/[&<>"']/g, character => ENTITIES[character] ?? character)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
