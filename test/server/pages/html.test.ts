/** Anything put into a template is rendered as text. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { html } from '../../../src/server/pages/html.ts'
import { returnUrl } from '../../../src/server/pages/return-url.ts'
import { times } from '../../kit/effort.ts'
import { seed } from '../../kit/seed.ts'

/** Returns escaped text as a browser shows it. */
const unescaped = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

describe('a template', () => {
  it('escapes every text, in elements and in attributes', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('"><script>', "' onload='", '&lt;', '</p>', 'a&b'),
    )
    fc.assert(
      fc.property(text, text, (title, body) => {
        const made = html`<p title="${title}">${body}</p>`.text
        const inner = made.slice('<p title="'.length, -'</p>'.length)
        expect(inner).not.toMatch(/[<']/)
        expect(inner.match(/[">]/g)).toEqual(['"', '>'])
        expect(unescaped(inner)).toBe(`${title}">${body}`)
      }),
      { seed, numRuns: times(100) },
    )
  })

  it('inserts html unchanged, joins lists, and renders nothing for a missing value', () => {
    const items = ['a', '<b>'].map(each => html`<li>${each}</li>`)
    expect(html`<ul>${items}</ul>${null}${false}${undefined}${0}`.text).toBe('<ul><li>a</li><li>&lt;b&gt;</li></ul>0')
  })
})

describe('the redirect back', () => {
  it('keeps the redirect URL’s parameters, and adds the outcome of the link', () => {
    expect(returnUrl('https://app.example/back?user=7#top', { state: 'success' })).toBe(
      'https://app.example/back?user=7&state=success#top',
    )
    const end = { state: 'error', errorType: 'user_cancelled', error: 'closed & gone' } as const
    const url = new URL(returnUrl('http://[::1]:3000/?state=mine', end))
    expect(Object.fromEntries(url.searchParams)).toEqual({
      state: 'error',
      error_type: 'user_cancelled',
      error: 'closed & gone',
    })
  })
})
