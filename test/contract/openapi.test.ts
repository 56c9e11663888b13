/** The OpenAPI document is whole: every reference leads somewhere, every path parameter is declared, every operation is there. */
import { describe, expect, it } from 'vitest'
import { RESOURCE_NAMES, resourceNamed } from '../../src/catalogue/resources.ts'
import { openApiDocument } from '../../src/contract/openapi.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { operationIds, operations } from '../../src/contract/operations.ts'

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

const document = JSON.parse(
  JSON.stringify(openApiDocument({ version: '9.9.9', serverUrl: 'http://127.0.0.1:1' })),
) as Document
const methods = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.values(item).map(operation => ({ path, operation })),
)
const getOf = (path: string): Described => document.paths[path]?.['get'] as Described

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
  it('is version 3.1 and names its program and server', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.info.version).toBe('9.9.9')
    expect(document.servers).toEqual([{ url: 'http://127.0.0.1:1' }])
  })

  it('resolves every reference inside itself', () => {
    const refs = references(document)
    expect(refs.length).toBeGreaterThan(100)
    for (const ref of refs) {
      expect(ref).toMatch(/^#\/components\//)
      expect(resolve(ref), ref).toBeDefined()
    }
    const text = JSON.stringify(document)
    for (const leftover of ['x-component', '$defs', '$schema"', '__schema']) expect(text).not.toContain(leftover)
  })

  it('has every operation of the table once, each under a unique operationId', () => {
    const ids = methods.map(entry => entry.operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of operationIds) {
      const operation: Operation = operations[id]
      const expected = operation.expand ? operation.expand.values.map(value => `${id}.${value}`) : [id]
      expect(ids).toEqual(expect.arrayContaining(expected))
    }
  })

  it('declares exactly the parameters that stand in the path', () => {
    for (const { path, operation } of methods) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1])
      const declared = (operation.parameters ?? []).filter(p => p.in === 'path')
      expect(declared.map(p => p.name).sort(), path).toEqual(inPath.sort())
      for (const parameter of declared) expect(parameter.required).toBe(true)
    }
  })

  it('describes the 200 answer and its errors for every operation', () => {
    for (const { path, operation } of methods) {
      const answers = Object.keys(operation.responses)
      expect(answers, path).toEqual(expect.arrayContaining(['200', '422', '500']))
      const security = operation.security.flatMap(scheme => Object.keys(scheme))
      for (const scheme of security) expect(document.components.securitySchemes[scheme]).toBeDefined()
      expect(answers.includes('401')).toBe(security.length > 0)
    }
  })

  it('gives every timeseries resource a path of its own with its unit as a literal', () => {
    for (const name of RESOURCE_NAMES) {
      const { responses } = getOf(`/v2/timeseries/{user_id}/${name}/grouped`)
      const groups = responses['200']?.content['application/json']?.schema.properties['groups']
      const sample = groups?.additionalProperties.items.properties['data']?.items
      expect(sample?.properties['unit']?.const).toBe(resourceNamed(name)?.unit)
    }
  })

  it('says what a query parameter stands for, not the texts it may be written in', () => {
    const { parameters = [] } = getOf('/v3/lab_tests/markers')
    const schemaOf = (name: string) => parameters.find(p => p.name === name)?.schema
    expect(schemaOf('size')).toEqual({ type: 'integer', minimum: 1, maximum: 100, default: 50 })
    expect(schemaOf('a_la_carte_enabled')).toEqual({ type: 'boolean' })
    expect(schemaOf('lab_id')?.items.type).toBe('integer')
  })

  it('marks what is sensitive', () => {
    expect(document.components.schemas['PasswordSignIn']?.properties['password']?.['x-sensitive']).toBe(true)
  })
})
