/** The console's style sheets keep to the design system (docs/console-design.md). */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../kit/sandbox.ts'

const folder = path.join(root, 'src', 'console')
const TOKENS = 'style/tokens.css'

const sheets = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.css'))
  .map(name => ({
    name: name.split(path.sep).join('/'),
    text: readFileSync(path.join(folder, name), 'utf8').replaceAll(/\/\*.*?\*\//gs, ''),
  }))

interface Declaration {
  readonly name: string
  readonly value: string
  readonly at: string
}

const declarations = sheets.flatMap(({ name: sheet, text }) =>
  [...text.matchAll(/([\w-]+):\s*([^;{}]+);/g)].map(
    ([whole, name = '', value = '']): Declaration => ({ name, value, at: `${sheet}: ${whole}` }),
  ),
)

/** Returns the declarations of a property, outside of the tokens, whose value is not allowed. */
const refused = (property: RegExp, allowed: RegExp): readonly string[] =>
  declarations
    .filter(({ name, value, at }) => property.test(name) && !allowed.test(value) && !at.startsWith(TOKENS))
    .map(({ at }) => at)

describe('the style sheets of the console', () => {
  it('use only tokens that exist', () => {
    const defined = new Set(declarations.map(({ name }) => name))
    expect(defined.size).toBeGreaterThan(60)
    const used = declarations.flatMap(({ value, at }) =>
      [...value.matchAll(/var\((--[\w-]+)/g)].map(([, name = '']) => ({ name, at })),
    )
    expect(used.filter(({ name }) => !defined.has(name)).map(({ at }) => at)).toEqual([])
  })

  it('have no colors of their own', () => {
    expect(refused(/./, /^(?!.*(?:#[\da-f]{3,8}\b|\b(?:rgb|hsl|oklch|light-dark|color-mix)\()).*$/is)).toEqual([])
  })

  it('use two weights, the sizes of the scale, and one radius', () => {
    expect(refused(/^font-weight$/, /^(?:400|600)$/)).toEqual([])
    expect(refused(/^font-size$/, /^(?:var\(--text-\w+\)|[\d.]+em)$/)).toEqual([])
    expect(refused(/^border-radius$/, /^(?:(?:var\(--radius\)|0) ?)+$|^50%$/)).toEqual([])
  })
})
