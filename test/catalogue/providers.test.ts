/** The catalogue of providers, regions, source types and event types is complete and consistent. */
import { describe, expect, it } from 'vitest'
import {
  allEventTypes,
  EVENT_RESOURCES,
  eventTypesAt,
  isEventType,
  matchesSomeType,
  matchesType,
  resourceEvent,
} from '../../src/catalogue/event-types.ts'
import { type Provider, SHIPPED_REGISTRY } from '../../src/catalogue/providers.ts'
import { REGIONS } from '../../src/catalogue/regions.ts'
import { resourceAvailability, splitScopes } from '../../src/catalogue/resource-availability.ts'
import { RESOURCES } from '../../src/catalogue/resources.ts'
import { SOURCE_TYPES, sourceTypeRank } from '../../src/catalogue/source-types.ts'
import { SUMMARY_KINDS } from '../../src/core/sample.ts'

describe('providers', () => {
  it('include the twelve password providers and have unique slugs', () => {
    const withPassword = SHIPPED_REGISTRY.all.filter(each => each.authType === 'password')
    expect(withPassword.map(each => each.slug).sort()).toEqual(
      [
        'whoop',
        'renpho',
        'peloton',
        'zwift',
        'eight_sleep',
        'beurer_api',
        'dexcom',
        'hammerhead',
        'my_fitness_pal',
        'kardia',
        'abbott_libreview',
        'tandem_source',
      ].sort(),
    )
    expect(new Set(SHIPPED_REGISTRY.slugs).size).toBe(SHIPPED_REGISTRY.all.length)
    expect(SHIPPED_REGISTRY.all).toHaveLength(41)
  })

  it('refer only to regions, source types and resources that exist', () => {
    const resources = new Set<string>([...RESOURCES.map(each => each.queryName), ...SUMMARY_KINDS, 'workout_stream'])
    for (const provider of SHIPPED_REGISTRY.all) {
      expect(
        provider.regions.every(region => REGIONS.includes(region)),
        provider.slug,
      ).toBe(true)
      expect(provider.sourceTypes.length, provider.slug).toBeGreaterThan(0)
      expect(provider.sourceTypes.every(type => SOURCE_TYPES.includes(type))).toBe(true)
      expect(provider.supportedResources.filter(name => !resources.has(name))).toEqual([])
      expect(new Set(provider.supportedResources).size).toBe(provider.supportedResources.length)
      expect(provider.logo).toBe(`https://logo.svc.example/${provider.slug}.svg`)
    }
  })

  it('have regions for abbott_libreview but not for whoop or zwift', () => {
    expect(SHIPPED_REGISTRY.find('abbott_libreview')?.regions).toContain('de')
    expect(SHIPPED_REGISTRY.find('whoop')?.regions).toEqual([])
    expect(SHIPPED_REGISTRY.find('zwift')?.regions).toEqual([])
    expect(SHIPPED_REGISTRY.find('nobody')).toBeUndefined()
  })
})

describe('scopes', () => {
  const withConsent = SHIPPED_REGISTRY.all.filter(each => each.authType === 'oauth')

  it('exist for every OAuth provider and for no other, with at least one required', () => {
    expect(withConsent).toHaveLength(18)
    for (const { slug, scopes } of withConsent)
      expect(
        scopes.some(each => each.required),
        slug,
      ).toBe(true)
    expect(SHIPPED_REGISTRY.all.filter(each => each.authType !== 'oauth' && each.scopes.length > 0)).toEqual([])
  })

  it('cover each resource of the provider, and nothing else', () => {
    for (const { slug, scopes, supportedResources } of withConsent) {
      const needed = new Set(scopes.flatMap(each => each.resources))
      expect([...needed].sort(), slug).toEqual([...supportedResources].sort())
      const enriched = scopes.flatMap(each => each.enriches).filter(each => !supportedResources.includes(each))
      expect(enriched, slug).toEqual([])
      expect(new Set(scopes.map(each => each.name)).size, slug).toBe(scopes.length)
    }
  })

  it('decide which resources are available: without a required scope, its resource is unavailable', () => {
    const garmin = SHIPPED_REGISTRY.find('garmin') as Provider
    const grant = splitScopes(garmin.scopes, ['HEALTH_EXPORT'])
    expect(grant).toEqual({
      granted: { required: ['HEALTH_EXPORT'], optional: [] },
      denied: { required: [], optional: ['ACTIVITY_EXPORT', 'HISTORICAL_DATA_EXPORT'] },
    })
    const available = resourceAvailability(garmin, grant)
    expect(available['sleep']).toEqual({
      status: 'available',
      scope_requirements: {
        user_granted: { required: ['HEALTH_EXPORT'], optional: [] },
        user_denied: { required: [], optional: ['HISTORICAL_DATA_EXPORT'] },
      },
    })
    expect(available['workouts']?.status).toBe('unavailable')
    expect(resourceAvailability(garmin, null)['workouts']).toEqual({ status: 'available', scope_requirements: null })
  })
})

describe('regions', () => {
  it('include the interface’s 49 regions, each once', () => {
    expect(REGIONS).toHaveLength(49)
    expect(new Set(REGIONS).size).toBe(49)
  })
})

describe('source types', () => {
  it('are ranked in the documented order, with undocumented ones between devices and phones', () => {
    const types = [
      'lab',
      'automatic',
      'watch',
      'ring',
      'manual_scan',
      'insulin_pump',
      'phone',
      'app',
      'multiple_sources',
    ]
    const ranks = types.map(sourceTypeRank)
    expect(ranks).toEqual([...ranks].sort((a, b) => a - b))
    expect(new Set(ranks).size).toBe(types.length)
    expect(sourceTypeRank('toaster')).toBe(sourceTypeRank('unknown'))
  })
})

describe('event types', () => {
  it('include three for each of the 60 resources, and the others', () => {
    expect(EVENT_RESOURCES).toHaveLength(60)
    const types = allEventTypes()
    expect(new Set(types).size).toBe(types.length)
    expect(isEventType('daily.data.weight.updated')).toBe(true)
    expect(isEventType('historical.data.sleep_cycle.created')).toBe(true)
    expect(isEventType('provider.connection.created')).toBe(true)
    expect(isEventType('daily.data.hypnogram.created')).toBe(false)
  })

  it('are matched by patterns in which * stands for any characters', () => {
    const type = 'daily.data.steps.created'
    for (const pattern of [
      type,
      '*',
      'daily.*',
      '*.created',
      'daily.*.steps.*',
      '*steps*',
      'daily.data.*s.created',
      '**',
    ]) {
      expect(matchesType(pattern, type), pattern).toBe(true)
    }
    for (const pattern of [
      '',
      'daily',
      'daily.data.steps',
      '*.updated',
      'daily.*.steps',
      '*stepss*',
      'daily.data.steps.created*x',
    ]) {
      expect(matchesType(pattern, type), pattern).toBe(false)
    }
    // the two ends may not overlap
    expect(matchesType('aba*ba', 'aba')).toBe(false)
    expect(matchesType('aba*ba', 'ababa')).toBe(true)
    expect(matchesSomeType('daily.data.s*.created')).toBe(true)
    expect(matchesSomeType('daily.timeseries.hypnogram.*')).toBe(true)
    expect(matchesSomeType('daily.data.stepz.*')).toBe(false)
  })

  it('include the hypnogram’s events while it is served', () => {
    expect(eventTypesAt('2025-01-30')).toHaveLength(allEventTypes().length + 3)
    expect(eventTypesAt('2025-01-31')).toEqual(allEventTypes())
    expect(resourceEvent('daily.timeseries.hypnogram.updated')).toEqual({ resource: 'hypnogram', change: 'updated' })
  })
})
