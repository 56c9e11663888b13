/**
 * The operator's own providers, read from a JSON file, which is completely checked before any provider is used (`svc serve --providers
 * FILE`, SVC_PROVIDERS).
 */
import { readFileSync, statSync } from 'node:fs'
import * as z from 'zod'
import { ServiceError } from '../core/errors.ts'
import { SUMMARY_KINDS } from '../core/sample.ts'
import { LOGO_HOST, type Provider } from './provider.ts'
import { type ProviderRegistry, providerRegistry, SHIPPED_REGISTRY } from './providers.ts'
import { REGIONS } from './regions.ts'
import { RESOURCES } from './resources.ts'
import { SHIPPED_PROVIDERS } from './shipped-providers.ts'
import { SOURCE_TYPES, type SourceType } from './source-types.ts'

const MOST_BYTES = 1024 * 1024
const MOST_PROVIDERS = 200

/**
 * The resources that a provider may supply, named as in events and queries (`weight`, not `body_weight`). See
 * docs/interface/connections.md.
 */
const SUPPLIES: readonly string[] = [...RESOURCES.map(each => each.queryName), ...SUMMARY_KINDS, 'workout_stream']

/** Words that may follow `svc link` where a provider's slug is expected. */
const LINK_WORDS: readonly string[] = ['demo', 'email', 'oauth', 'password', 'providers', 'token']

const line = (mostCharacters: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(mostCharacters)
    .regex(/^[^\p{Cc}\p{Cf}]*$/u, 'must not contain control characters')
const enumOf = (values: readonly string[]) => z.enum(values)

const scope = () =>
  z.strictObject({
    name: line(128),
    description: line(200).optional(),
    required: z.boolean().default(false),
    resources: z.array(enumOf(SUPPLIES)).default([]),
    enriches: z.array(enumOf(SUPPLIES)).default([]),
  })

const provider = () =>
  z
    .strictObject({
      slug: z
        .string()
        .regex(
          /^[a-z][a-z0-9_]{1,62}$/,
          'must be 2 to 63 lower-case letters, digits and underscores, starting with a letter',
        ),
      name: line(100),
      description: line(200).default('Custom provider'),
      logo: z.url({ protocol: /^https?$/ }).optional(),
      auth_type: z.enum(['password', 'email', 'oauth']),
      resources: z.array(enumOf(SUPPLIES)).min(1),
      regions: z.array(enumOf(REGIONS)).default([]),
      source_types: z.array(enumOf(SOURCE_TYPES)).min(1).default(['unknown']),
      history_days: z.number().int().min(1).max(365).default(90),
      scopes: z.array(scope()).max(100).default([]),
    })
    .superRefine((given, context) => {
      const refuse = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message })
      if (SHIPPED_PROVIDERS.some(each => each.slug === given.slug))
        refuse(['slug'], 'is already the slug of a shipped provider')
      if (LINK_WORDS.includes(given.slug))
        refuse(['slug'], `must not be a command of \`svc link\`: ${LINK_WORDS.join(', ')}`)
      if (given.auth_type !== 'oauth' && given.scopes.length > 0)
        refuse(['scopes'], 'must be empty, because only oauth providers have scopes')
      if (given.auth_type === 'oauth' && given.regions.length > 0)
        refuse(['regions'], 'must be empty, because oauth providers have no regions')
      given.scopes.forEach((each, i) => {
        if (given.scopes.findIndex(other => other.name === each.name) < i)
          refuse(['scopes', i], 'repeats the name of an earlier scope')
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
          context.addIssue({ code: 'custom', path: [i, 'slug'], message: 'repeats the slug of an earlier provider' })
        }
      })
    })

/**
 * Returns a registry that includes the file's providers, or the registry of shipped providers if there is no path. Throws ServiceError
 * `usage`.
 */
export function loadProviders(path: string | undefined): ProviderRegistry {
  return path ? providerRegistry(readProviders(path)) : SHIPPED_REGISTRY
}

/** Reads a file's providers. Throws ServiceError `usage`, which lists the positions of the first five errors. */
function readProviders(path: string): Provider[] {
  const result = file().safeParse(readDocument(path))
  if (!result.success) {
    const problems = result.error.issues.slice(0, 5).map(each => `${formatValuePath(each.path)}: ${each.message}`)
    throw new ServiceError('usage', `The providers file is not valid. ${problems.join('; ')}.`, {
      suggestions: ['The file must contain a JSON array of providers. See docs/linking.md for their fields.'],
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

function readDocument(path: string): unknown {
  try {
    if (statSync(path).size > MOST_BYTES)
      throw new ServiceError('usage', `The providers file ${path} is larger than the limit of 1 MiB.`)
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (error instanceof ServiceError) throw error
    const why = error instanceof SyntaxError ? 'is not valid JSON' : 'cannot be read'
    throw new ServiceError('usage', `The providers file ${path} ${why}.`, {
      suggestions: ['Check the path in --providers or SVC_PROVIDERS.'],
      cause: error,
    })
  }
}

/** Returns a value's position in the file, such as `[0].scopes[1]`. */
function formatValuePath(path: readonly PropertyKey[]): string {
  const text = path.map(part => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('')
  return text === '' ? 'the file' : text
}
