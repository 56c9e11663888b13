/** The commands that the console shows exist, and have the flags that it shows. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../kit/sandbox.ts'

interface Manifest {
  readonly commands: Readonly<Record<string, { readonly flags: Readonly<Record<string, unknown>> }>>
}

const { commands } = JSON.parse(readFileSync(path.join(root, 'oclif.manifest.json'), 'utf8')) as Manifest
const folder = path.join(root, 'src', 'console')

/** Each use of the component, with its literal words and flags. */
const shown = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.tsx'))
  .flatMap(name => [...readFileSync(path.join(folder, name), 'utf8').matchAll(/<Command\s+words=\{\['svc'.*?\/>/gs)])
  .map(([text]) => {
    const words = text.slice(0, text.indexOf(']}'))
    return {
      text,
      words: [...words.matchAll(/(?:\[|, )'([^']+)'/g)].map(match => match[1] ?? '').slice(1),
      // a flag may have an opposite
      flags: [...text.matchAll(/'--(?:no-)?([a-z-]+)'/g)].map(match => match[1] ?? ''),
    }
  })

it('finds the commands', () => {
  expect(shown.length).toBeGreaterThan(30)
})

it.each(shown)('$text', ({ words, flags }) => {
  // the words may end within a command, if the page adds the rest
  const given = words.join(':')
  const id = words.map((_, i) => words.slice(0, words.length - i).join(':')).find(each => each in commands)
  const possible = id === undefined ? Object.keys(commands).filter(each => each.startsWith(`${given}:`)) : [id]
  const fitting = possible.filter(each => flags.every(flag => flag in (commands[each]?.flags ?? {})))
  expect(fitting, `svc ${words.join(' ')}`).not.toEqual([])
})
