/** An operator's own providers: a JSON file of them, checked before any is used (`svc serve --providers FILE`, SVC_PROVIDERS). */
import { readFileSync, statSync } from 'node:fs'
import { z } from 'zod'
import { ServiceError } from '../core/errors.ts'
import { SUMMARY_KINDS } from '../core/sample.ts'
import { LOGO_HOST, type Provider } from './provider.ts'
import { setOwnProviders } from './providers.ts'
import { REGIONS } from './regions.ts'
import { RESOURCES } from './resources.ts'
import { SHIPPED_PROVIDERS } from './shipped-providers.ts'
import { SOURCE_TYPES, type SourceType } from './source-types.ts'

const MOST_BYTES = 1024 * 1024
const MOST_PROVIDERS = 200

/** What a provider may supply: keys of interface-gaps 2.2 (`weight`, not `body_weight`). */
const SUPPLIES: readonly string[] = [...RESOURCES.map(each => each.queryName), ...SUMMARY_KINDS, 'workout_stream']

const line = (mostCharacters: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(mostCharacters)
    .regex(/^[^\p{Cc}\p{Cf}]*$/u, 'must not contain control characters')
const oneOf = (values: readonly string[]) => z.enum(values as unknown as [string, ...string[]])

const scope = () =>
  z.strictObject({
    name: line(128),
    description: line(200).optional(),
    required: z.boolean().default(false),
    resources: z.array(oneOf(SUPPLIES)).default([]),
    enriches: z.array(oneOf(SUPPLIES)).default([]),
  })

const provider = () =>
  z
    .strictObject({
      slug: z.string().regex(/^[a-z][a-z0-9_]{1,62}$/, 'must be 2 to 63 lower-case letters, digits and underscores'),
      name: line(100),
      description: line(200).default('A provider of your own'),
      logo: z.url({ protocol: /^https?$/ }).optional(),
      auth_type: z.enum(['password', 'email', 'oauth']),
      resources: z.array(oneOf(SUPPLIES)).min(1),
      regions: z.array(oneOf(REGIONS)).default([]),
      source_types: z.array(oneOf(SOURCE_TYPES)).min(1).default(['unknown']),
      history_days: z.number().int().min(1).max(365).default(90),
      scopes: z.array(scope()).max(100).default([]),
    })
    .superRefine((given, context) => {
      const refuse = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message })
      if (SHIPPED_PROVIDERS.some(each => each.slug === given.slug))
        refuse(['slug'], 'is the slug of a shipped provider')
      if (given.auth_type !== 'oauth' && given.scopes.length > 0)
        refuse(['scopes'], 'only an oauth provider has scopes')
      if (given.auth_type === 'oauth' && given.regions.length > 0) refuse(['regions'], 'an oauth provider has none')
      given.scopes.forEach((each, i) => {
        if (given.scopes.findIndex(other => other.name === each.name) < i) refuse(['scopes', i], 'has a name twice')
        const strange = [...each.resources, ...each.enriches].find(name => !given.resources.includes(name))
        if (strange !== undefined)
          refuse(['scopes', i], `names ${strange}, which is not among the provider's resources`)
      })
    })

const file = () =>
  z
    .array(provider())
    .max(MOST_PROVIDERS)
    .superRefine((all, context) => {
      all.forEach(({ slug }, i) => {
        if (all.findIndex(each => each.slug === slug) < i) {
          context.addIssue({ code: 'custom', path: [i, 'slug'], message: 'is the slug of an earlier provider' })
        }
      })
    })

/** Puts the providers of the file behind the shipped ones; without a file, those of an earlier one go. Throws `usage`. */
export function useOwnProviders(path: string | undefined): void {
  setOwnProviders(path === undefined || path === '' ? [] : readProviders(path))
}

/** Throws ServiceError `usage` naming each place in the file that cannot be right. */
export function readProviders(path: string): Provider[] {
  const result = file().safeParse(documentOf(path))
  if (!result.success) {
    const places = result.error.issues.slice(0, 5).map(each => `${placeOf(each.path)}: ${each.message}`)
    throw new ServiceError('usage', `The file of providers cannot be right. ${places.join('; ')}`, {
      suggestions: ['It is a JSON array of providers; docs/linking.md describes their fields.'],
    })
  }
  return result.data.map(given => ({
    name: given.name,
    slug: given.slug,
    description: given.description,
    logo: given.logo ?? `${LOGO_HOST}/${given.slug}.svg`,
    authType: given.auth_type,
    supportedResources: [...new Set(given.resources)],
    regions: given.regions as Provider['regions'],
    sourceTypes: given.source_types as readonly SourceType[],
    historyDays: given.history_days,
    scopes: given.scopes.map(each => ({ ...each, description: each.description ?? each.name })),
  }))
}

function documentOf(path: string): unknown {
  try {
    if (statSync(path).size > MOST_BYTES)
      throw new ServiceError('usage', `The file of providers ${path} is over 1 MiB.`)
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (error instanceof ServiceError) throw error
    const why = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read'
    throw new ServiceError('usage', `The file of providers ${path} ${why}.`, {
      suggestions: ['Check the path in --providers or SVC_PROVIDERS.'],
      cause: error,
    })
  }
}

/** `[0].scopes[1]`: where in the file it is. */
function placeOf(path: readonly PropertyKey[]): string {
  const text = path.map(part => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('')
  return text === '' ? 'the file' : text
}
