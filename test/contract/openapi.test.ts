/** The OpenAPI document is complete: every reference resolves, every path parameter is declared, every operation is included. */
import { describe, expect, it } from 'vitest'
import { RESOURCE_NAMES, resourceNamed } from '../../src/catalogue/resources.ts'
import { openApiDocument } from '../../src/contract/kernel/openapi.ts'
import type { Operation } from '../../src/contract/kernel/operation.ts'
import { operationIds, operations } from '../../src/contract/operations.ts'
import { summaryItem } from '../../src/contract/readings/summary.ts'
import { SUMMARY_KINDS, type SummaryKind } from '../../src/core/sample.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: Schema
}
interface Schema {
  readonly type?: string
  readonly const?: string
  readonly properties: Readonly<Record<string, Schema>>
  readonly additionalProperties: Schema
  readonly items: Schema
  readonly 'x-sensitive'?: boolean
}
interface Described {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }>
  >
}
interface Document {
  readonly openapi: string
  readonly info: { readonly version: string }
  readonly servers: readonly unknown[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly securitySchemes: Readonly<Record<string, unknown>>
  }
}

/** The documented keys of each kind, written out a second time. See docs/interface/summaries.md. */
const EVERY = 'id user_id source created_at updated_at'
const DOCUMENTED: Readonly<Record<SummaryKind, string>> = {
  activity: `${EVERY} date calendar_date calories_total calories_active steps daily_movement distance low medium high floors_climbed time_zone timezone_offset heart_rate wheelchair_use wheelchair_push`,
  workouts: `${EVERY} calendar_date time_start time_end provider_id title timezone_offset average_hr max_hr distance calories sport hr_zones moving_time total_elevation_gain elev_high elev_low average_speed max_speed average_watts device_watts max_watts weighted_average_watts steps map`,
  sleep: `${EVERY} date calendar_date bedtime_start bedtime_stop type timezone_offset duration total awake light rem deep score recovery_readiness_score hr_lowest hr_average hr_resting efficiency latency temperature_delta skin_temperature hr_dip state average_hrv respiratory_rate sleep_stream`,
  sleep_cycle: `${EVERY} sleep_id session_start session_end stage_start_offset_second stage_end_offset_second stage_type time_zone source_provider source_type source_app_id source_device_id`,
  body: `${EVERY} date calendar_date weight fat water_percentage muscle_mass_percentage visceral_fat_index bone_mass_percentage body_mass_index lean_body_mass_kilogram waist_circumference_centimeter`,
  meal: `${EVERY} timestamp name energy macros micros data priority_id source_id provider_id`,
  profile: `${EVERY} height birth_date wheelchair_use gender sex`,
  menstrual_cycle: `${EVERY} period_start period_end cycle_end is_predicted menstrual_flow cervical_mucus intermenstrual_bleeding contraceptive detected_deviations ovulation_test home_pregnancy_test home_progesterone_test sexual_activity basal_body_temperature`,
  electrocardiogram: `${EVERY} session_start session_end voltage_sample_count heart_rate_mean sampling_frequency_hz classification inconclusive_cause algorithm_version`,
}

const document = JSON.parse(
  JSON.stringify(openApiDocument({ version: '9.9.9', serverUrl: 'http://127.0.0.1:1' })),
) as Document
const methods = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.values(item).map(operation => ({ path, operation })),
)
const getOperation = (path: string): Described => document.paths[path]?.['get'] as Described

function references(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(references)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => (key === '$ref' ? [String(item)] : references(item)))
}

function resolve(ref: string): unknown {
  let at: unknown = document
  for (const key of ref.slice(2).split('/')) at = (at as Record<string, unknown> | undefined)?.[key]
  return at
}

describe('openapi document', () => {
  it('has version 3.1 and contains its program and server', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.info.version).toBe('9.9.9')
    expect(document.servers).toEqual([{ url: 'http://127.0.0.1:1' }])
  })

  it('resolves every reference within itself', () => {
    const refs = references(document)
    expect(refs.length).toBeGreaterThan(100)
    for (const ref of refs) {
      expect(ref).toMatch(/^#\/components\//)
      expect(resolve(ref), ref).toBeDefined()
    }
    const text = JSON.stringify(document)
    for (const leftover of ['x-component', '$defs', '$schema"', '__schema']) expect(text).not.toContain(leftover)
  })

  it('has every operation in the table once, with a unique operationId', () => {
    const ids = methods.map(entry => entry.operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of operationIds) {
      const operation: Operation = operations[id]
      const expected = operation.expand ? operation.expand.values.map(value => `${id}.${value}`) : [id]
      expect(ids).toEqual(expect.arrayContaining(expected))
    }
  })

  it('declares exactly the parameters in the path', () => {
    for (const { path, operation } of methods) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1])
      const declared = (operation.parameters ?? []).filter(p => p.in === 'path')
      expect(declared.map(p => p.name).sort(), path).toEqual(inPath.sort())
      for (const parameter of declared) expect(parameter.required).toBe(true)
    }
  })

  it('describes the success response and the errors of every operation', () => {
    for (const { path, operation } of methods) {
      const statuses = Object.keys(operation.responses)
      expect(statuses, path).toEqual(expect.arrayContaining(['422', '500']))
      expect(
        statuses.filter(status => status.startsWith('2')),
        path,
      ).toHaveLength(1)
      const security = operation.security.flatMap(scheme => Object.keys(scheme))
      for (const scheme of security) expect(document.components.securitySchemes[scheme]).toBeDefined()
      expect(statuses.includes('401')).toBe(security.length > 0)
    }
  })

  it('gives every timeseries resource its own path, with its unit as a literal', () => {
    for (const name of RESOURCE_NAMES) {
      const { responses } = getOperation(`/v2/timeseries/{user_id}/${name}/grouped`)
      const groups = responses['200']?.content['application/json']?.schema.properties['groups']
      const sample = groups?.additionalProperties.items.properties['data']?.items
      expect(sample?.properties['unit']?.const).toBe(resourceNamed(name)?.unit)
    }
  })

  it('gives every kind of summary its own path, with its own query and its documented keys', () => {
    const dates = { format: 'date', type: 'string' }
    for (const kind of SUMMARY_KINDS) {
      const { parameters = [], responses } = getOperation(`/v2/summary/${kind}/{user_id}`)
      const inQuery = parameters.filter(each => each.in === 'query')
      const required = inQuery.filter(each => each.required).map(each => each.name)
      expect(required, kind).toEqual(kind === 'profile' ? [] : ['start_date'])
      expect(inQuery.map(each => each.name)).toEqual(
        kind === 'profile' ? ['provider'] : ['start_date', 'end_date', 'provider'],
      )
      if (['sleep_cycle', 'menstrual_cycle', 'electrocardiogram'].includes(kind)) {
        for (const name of ['start_date', 'end_date']) {
          expect(inQuery.find(each => each.name === name)?.schema, kind).toEqual(dates)
        }
      }
      const schema = responses['200']?.content['application/json']?.schema as Schema
      const [wrapper] = Object.keys(schema.properties ?? {})
      const item = kind === 'profile' ? schema : schema.properties[wrapper as string]?.items
      const described = resolve((item as unknown as { $ref: string }).$ref) as Schema
      expect(Object.keys(described.properties)).toEqual(Object.keys(summaryItem(kind).shape))
      for (const key of DOCUMENTED[kind].split(' ')) expect(described.properties, kind).toHaveProperty([key])
      if (kind !== 'profile') expect(wrapper).toBe(kind === 'meal' ? 'meals' : kind)
    }
  })

  it('describes the value of a query parameter, not its possible spellings', () => {
    const { parameters = [] } = getOperation('/v3/lab_tests/markers')
    const schemaOf = (name: string) => parameters.find(p => p.name === name)?.schema
    expect(schemaOf('size')).toEqual({ type: 'integer', minimum: 1, maximum: 100, default: 50 })
    expect(schemaOf('a_la_carte_enabled')).toEqual({ type: 'boolean' })
    expect(schemaOf('lab_id')?.items.type).toBe('integer')
  })

  it('marks sensitive fields', () => {
    expect(document.components.schemas['PasswordSignIn']?.properties['password']?.['x-sensitive']).toBe(true)
  })
})
