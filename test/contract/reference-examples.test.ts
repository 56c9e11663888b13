/** The examples of the API reference, built from the document of every operation. */
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { openApiDocument } from '../../src/contract/kernel/openapi.ts'
import { root } from '../kit/sandbox.ts'

type Content = Readonly<Record<string, { readonly schema?: object }>>
interface Described {
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}
type Example = (document: unknown, schema: object) => unknown

// as a browser receives it
const document: { readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>> } = JSON.parse(
  JSON.stringify(openApiDocument({ version: '1.0.0', serverUrl: null })),
)
// not a static import, which would bring the types of browsers into all tests
const examples: { readonly fullExample: Example; readonly shortExample: Example } = await import(
  pathToFileURL(path.join(root, 'src/console/pages/reference/examples.ts')).href
)

const jsonSchema = (content: Content | undefined): readonly object[] =>
  [content?.['application/json']?.schema].filter(each => each !== undefined)

/** Returns the texts in a value, each with the name of its field. */
function texts(value: unknown, field = ''): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[field, value]]
  if (Array.isArray(value)) return value.flatMap(each => texts(each, field))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => texts(each, name))
}

it('show values instead of types, and a value for every field of a request', () => {
  const operations = Object.values(document.paths).flatMap(methods => Object.values(methods))
  const sent = operations.flatMap(({ requestBody }) => jsonSchema(requestBody?.content))
  const received = operations.flatMap(({ responses }) => jsonSchema(responses['200']?.content))
  expect(sent.length).toBeGreaterThan(30)
  const shown = [...sent, ...received].flatMap(schema => [
    ...[examples.fullExample, examples.shortExample].flatMap(example => texts(example(document, schema))),
  ])
  expect(shown.filter(([, value]) => value === 'string')).toEqual([])
  const inBodies = sent.flatMap(schema => texts(examples.fullExample(document, schema)))
  const unnamed = inBodies.filter(([field, value]) => value === field.replaceAll('_', ' ')).map(([field]) => field)
  expect([...new Set(unnamed)]).toEqual([])
})
