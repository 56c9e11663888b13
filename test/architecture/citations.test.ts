/** Everything that comments, messages and pages cite exists in the repository, down to the rule. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../kit/sandbox.ts'

const FOLDERS = ['bin', 'docs', 'scripts', 'src', 'test']
const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md']
const GENERATED = /^(?:test\/fixtures|src\/catalogue\/data|docs\/commands)\//
const SELF = 'test/architecture/citations.test.ts'

/** Documents outside the repository, and numbers that a reader cannot look up. */
const ELSEWHERE = [
  /(?<![\w/-])(?:interface|interface-gaps|design)\.md\b/,
  /\binterface-gaps\b/,
  /\bdesign \d/,
  /\bissues? (?:#?\d|\d+:)/i,
  // not the imports of src/connectors/shared
  /\.\.\/shared\b(?!\/[\w-]+\.ts)/,
]

const cited = FOLDERS.flatMap(folder =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map(name => `${folder}/${name}`),
)
  .concat(PAGES)
  .filter(name => /\.(?:ts|mjs|js|md)$/.test(name) && !GENERATED.test(name) && name !== SELF)
  .filter(name => statSync(path.join(root, name)).isFile())
  .map(name => ({ name, lines: readFileSync(path.join(root, name), 'utf8').split('\n') }))

const anchors = new Map<string, ReadonlySet<string>>()
function readAnchors(page: string): ReadonlySet<string> {
  let known = anchors.get(page)
  if (known === undefined) {
    const text = readFileSync(path.join(root, page), 'utf8')
    const ids = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id as string)
    const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) => slug(title as string))
    known = new Set([...ids, ...headings])
    anchors.set(page, known)
  }
  return known
}

/** Returns the anchor of a heading, as the usual viewers derive it. */
function slug(title: string): string {
  return title
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

/** Returns every citation for which `holds` is false, as `file:line: what`. */
function wrong(pattern: RegExp, holds: (name: string, found: RegExpMatchArray) => boolean): string[] {
  return cited.flatMap(({ name, lines }) =>
    lines.flatMap((line, i) =>
      [...line.matchAll(pattern)].filter(found => !holds(name, found)).map(([what]) => `${name}:${i + 1}: ${what}`),
    ),
  )
}

describe('a citation', () => {
  it('never refers to a document outside the repository', () => {
    const found = ELSEWHERE.flatMap(pattern => wrong(new RegExp(pattern, `g${pattern.flags}`), () => false))
    expect(found).toEqual([])
  })

  it('of a page in docs refers to an existing page, rule or heading', () => {
    const found = wrong(/\bdocs\/[\w/-]+\.md(?:#([\w-]+))?/g, (_name, [what, anchor]) => {
      const page = what.split('#', 1)[0] as string
      return existsSync(path.join(root, page)) && (anchor === undefined || readAnchors(page).has(anchor))
    })
    expect(found).toEqual([])
  })

  it('of a neighboring page leads to an existing page', () => {
    const found = wrong(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([\w-]+))?\)/g, (name, [, target = '', anchor]) => {
      if (!name.endsWith('.md')) return true
      const page = path.posix.normalize(target === '' ? name : path.posix.join(path.posix.dirname(name), target))
      if (!existsSync(path.join(root, page))) return false
      return anchor === undefined || !page.endsWith('.md') || readAnchors(page).has(anchor)
    })
    expect(found).toEqual([])
  })

  it('of a source file or a test refers to an existing file', () => {
    const found = wrong(/(?<![\w./-])(?:src|test|scripts)\/[\w./-]+\.(?:ts|mjs)\b/g, (_name, [what]) =>
      existsSync(path.join(root, what)),
    )
    expect(found).toEqual([])
  })
})
