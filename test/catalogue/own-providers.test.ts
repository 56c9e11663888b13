/** A file of your own providers: its allowed content, and the refusal of an invalid file with the position of the error. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadProviders } from '../../src/catalogue/own-providers.ts'
import { type Provider, SHIPPED_REGISTRY } from '../../src/catalogue/providers.ts'
import { syntheticHistory } from '../../src/connectors/synthetic/person.ts'
import { temporaryFolder } from '../kit/folder.ts'

const folder = temporaryFolder()
const ACME = { slug: 'acme_band', name: 'Acme Band', auth_type: 'password', resources: ['steps', 'sleep', 'weight'] }

function file(content: unknown): string {
  const name = path.join(folder, 'providers.json')
  writeFileSync(name, typeof content === 'string' ? content : JSON.stringify(content))
  return name
}
const refusal = (content: unknown): string => {
  try {
    loadProviders(file(content))
  } catch (error) {
    return (error as Error).message
  }
  return 'it was taken'
}

describe('a file of providers', () => {
  it('adds its providers after the built-in ones, for one registry only', () => {
    const scopes = [{ name: 'all', required: true, resources: ['steps'], enriches: ['sleep'] }]
    const { all, slugs, find, number } = loadProviders(
      file([ACME, { ...ACME, slug: 'acme_cloud', auth_type: 'oauth', scopes }]),
    )
    expect(slugs).toEqual([...SHIPPED_REGISTRY.slugs, 'acme_band', 'acme_cloud'])
    expect(all.slice(-2).map(each => each.slug)).toEqual(['acme_band', 'acme_cloud'])
    expect(number('acme_cloud')).toBe(43)
    expect(find('acme_band')).toEqual({
      slug: 'acme_band',
      name: 'Acme Band',
      description: 'Custom provider',
      logo: 'https://logo.svc.example/acme_band.svg',
      authType: 'password',
      supportedResources: ['steps', 'sleep', 'weight'],
      regions: [],
      sourceTypes: ['unknown'],
      historyDays: 90,
      scopes: [],
    })
    expect(find('acme_cloud')?.scopes).toEqual([{ ...scopes[0], description: 'all' }])
    expect(SHIPPED_REGISTRY.find('acme_band')).toBeUndefined()
    expect(loadProviders(undefined)).toBe(SHIPPED_REGISTRY)
    expect([SHIPPED_REGISTRY, all, slugs].every(Object.isFrozen)).toBe(true)
  })

  it('gives synthetic people data for the resources that its providers supply', () => {
    const now = Date.UTC(2026, 10, 20, 12)
    const history = syntheticHistory({
      seed: 's',
      userId: '00000000-0000-4000-8000-000000000001',
      provider: loadProviders(file([ACME])).find('acme_band') as Provider,
      timeZone: null,
      now,
      days: 2,
    })
    expect(history.batches.map(each => each.series.resource).sort()).toEqual(['body_weight', 'steps'])
    expect(new Set(history.summaries.map(each => each.kind))).toEqual(new Set(['sleep']))
  })

  it.each([
    ['a shipped slug', [{ ...ACME, slug: 'oura' }], /\[0\]\.slug: is already the slug of a shipped provider/],
    [
      'a command of svc link',
      [{ ...ACME, slug: 'token' }],
      /\[0\]\.slug: must not be a command of `svc link`: demo, email/,
    ],
    ['a slug twice', [ACME, ACME], /\[1\]\.slug: repeats the slug of an earlier/],
    ['a slug in capitals', [{ ...ACME, slug: 'Acme' }], /\[0\]\.slug: must be/],
    ['a resource that there is not', [{ ...ACME, resources: ['step'] }], /\[0\]\.resources\[0\]/],
    ['no resource', [{ ...ACME, resources: [] }], /\[0\]\.resources/],
    ['another way of signing in', [{ ...ACME, auth_type: 'sdk' }], /\[0\]\.auth_type/],
    ['a region that there is not', [{ ...ACME, regions: ['jp'] }], /\[0\]\.regions\[0\]/],
    ['a field that there is not', [{ ...ACME, resource: [] }], /\[0\]: .*resource/],
    [
      'scopes with a password',
      [{ ...ACME, scopes: [{ name: 'a' }] }],
      /\[0\]\.scopes: must be empty, because only oauth providers/,
    ],
    [
      'a scope for what it does not supply',
      [{ ...ACME, auth_type: 'oauth', scopes: [{ name: 'a', resources: ['glucose'] }] }],
      /\[0\]\.scopes\[0\]: names glucose/,
    ],
    ['a name that moves the cursor', [{ ...ACME, name: 'a\u001b[2Jb' }], /\[0\]\.name: must not contain control/],
    ['no array', ACME, /the file: /],
    ['no JSON', '[{', /is not valid JSON/],
  ])('with %s is refused with the position of the error', (_, content, says) => {
    expect(refusal(content)).toMatch(says)
  })

  it('is a usage error if it cannot be read', () => {
    expect(() => loadProviders(path.join(folder, 'absent.json'))).toThrow(/cannot be read/)
  })
})
