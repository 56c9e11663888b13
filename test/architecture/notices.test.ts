/** The shipped notices name everyone whose work is included, with the text of their license. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const script = (name: string): Promise<unknown> => import(pathToFileURL(path.join(root, 'scripts', name)).href)

type Packages = ReadonlyMap<string, { readonly name: string; readonly license: unknown }>

/** The scripts are plain JavaScript, without types. */
interface NoticesScript {
  bundledPackages(): Promise<Packages>
  notices(packages: Packages): string
}

/** The packing settings in package.json. */
interface Packing {
  readonly scripts: { readonly prepack: string }
  readonly files: readonly string[]
}

let packages: Packages
let sections: ReadonlyMap<string, string>

beforeAll(async () => {
  const { bundledPackages, notices } = (await script('notices.mjs')) as NoticesScript
  packages = await bundledPackages()
  const text = notices(packages)
  sections = new Map(
    text.split(`\n${'='.repeat(80)}\n`).map(section => {
      const [head = '', ...rest] = section.trim().split('\n')
      return [head, rest.join('\n').trim()] as const
    }),
  )
})

describe('the third-party notices', () => {
  test('list every package in the bundle with its license and the license text', () => {
    expect(packages.size).toBeGreaterThan(80)
    for (const [title, { license }] of packages) {
      expect(typeof license, title).toBe('string')
      const text = sections.get(`${title} (${license})`)
      expect(text?.length ?? 0, title).toBeGreaterThan(300)
      expect(text, title).toMatch(/permi(?:ssion|t)|licen[sc]e/i)
    }
    // and no package that is not in the bundle
    expect(sections.size).toBe(packages.size + 2)
  })

  test.each([
    ['what a package has taken in', 'undici', 'Copyright Fedor Indutny, 2018.'],
    ['metrics of fonts', '@cantoo/pdf-lib', '14 PostScript(R) AFM files'],
    ['a file of notices beside a license', 'apache-arrow', 'Apache Arrow JavaScript\nCopyright'],
    ['a package of the console', 'uplot', 'Leon Sorokin'],
    ['codes', 'LOINC codes of the lab catalogue', 'http://loinc.org/license'],
  ])('contain %s', (_what, name, words) => {
    const text = [...sections].find(([head]) => head.startsWith(`${name} `))?.[1]
    expect(text).toContain(words)
  })

  test('are written when the package is packed, and included', () => {
    const { scripts, files } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as Packing
    expect(scripts.prepack.split(' && ')).toEqual(['npm run build', 'npm run notices'])
    expect(files).toEqual(expect.arrayContaining(['THIRD-PARTY-NOTICES.txt', 'src/catalogue/loinc-NOTICE.md']))
  })
})
