/** The OpenAPI document as the request tests read it: the input of an operation, and whether a response has a documented shape. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { ServiceClient } from '../../../src/client/client.ts'
import { openApiDocument } from '../../../src/contract/kernel/openapi.ts'
import type { Operation } from '../../../src/contract/kernel/operation.ts'
import { type OperationId, operationIds, operations } from '../../../src/contract/operations.ts'
import { ServiceError } from '../../../src/core/errors.ts'
import type { Schema } from './schema-arbitrary.ts'

interface Media {
  readonly schema: Schema
}
interface DocumentedResponse {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, Media>>
}
export interface Described {
  readonly operationId: string
  readonly parameters?: readonly { name: string; in: string; required: boolean; schema: Schema }[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, DocumentedResponse>>
}

const document = JSON.parse(JSON.stringify(openApiDocument({ version: '1', serverUrl: null }))) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
}

/**
 * Returns the description of an operation; for an operation with a path for each value (`timeseries.grouped`), the description for that
 * value.
 */
export function describedAs(id: OperationId, value?: string): { readonly path: string; readonly described: Described } {
  const { path, method, expand }: Operation = operations[id]
  const own = expand ? path.replace(`{${expand.param}}`, value ?? (expand.values[0] as string)) : path
  return { path: own, described: document.paths[own]?.[method.toLowerCase()] as Described }
}

/** Every operation, and every value of the expanded ones. */
export const allDescribed: readonly { readonly id: OperationId; readonly value?: string }[] = operationIds.flatMap(
  id => {
    const { expand }: Operation = operations[id]
    return expand ? expand.values.map(value => ({ id, value })) : [{ id }]
  },
)

export function schemaAt(ref: string): Schema {
  let at: unknown = document
  for (const key of ref.slice(2).split('/')) at = (at as Record<string, unknown>)[unescaped(key)]
  return at as Schema
}

const unescaped = (key: string): string => key.replaceAll('~1', '/').replaceAll('~0', '~')
const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')

const ajv = new Ajv2020({ strict: false, allErrors: false })
addFormats.default(ajv)
ajv.addFormat('binary', true)
ajv.addSchema(document, 'service')

/** Statuses with which the HTTP layer refuses any request before an operation runs: malformed, too long, too large, unknown path. */
const OF_THE_HTTP_LAYER = ['400', '404', '405', '408', '413', '414', '415', '431']
const ERROR = 'service#/components/schemas/Error'

/** Returns why the document does not describe a response; null if it does. */
export function undocumented(
  { path, described }: { readonly path: string; readonly described: Described },
  method: string,
  response: { readonly status: number; readonly mediaType: string; readonly text: string },
): string | null {
  const status = `${response.status}`
  const known = described.responses[status]
  if (!known && !OF_THE_HTTP_LAYER.includes(status)) return `status ${status} is not documented`
  const where = known?.$ref ?? `#/paths/${escaped(path)}/${method.toLowerCase()}/responses/${status}`
  const content = known ? (schemaAt(where) as DocumentedResponse).content : undefined
  if (known && content === undefined) return response.text === '' ? null : `status ${status} has a body`
  if (content && !content[response.mediaType]) return `media type ${response.mediaType || '(none)'} is not documented`
  if (response.mediaType !== 'application/json')
    return known ? null : `a refusal in ${response.mediaType || '(nothing)'}`
  const ref = content ? `service${where}/content/${escaped('application/json')}/schema` : ERROR
  const check = ajv.getSchema(ref) ?? ajv.compile({ $ref: ref })
  const body: unknown = JSON.parse(response.text)
  if (check(body)) return null
  const words = ajv.errorsText(check.errors)
  // the operation did not run, for example because the path cannot be decoded
  const isGeneral = OF_THE_HTTP_LAYER.includes(status) && ajv.validate({ $ref: ERROR }, body)
  return isGeneral ? null : `status ${status}: ${words}`
}

/** Passes calls on to a client, and reports why the document does not describe a response. */
export function checkingClient(client: ServiceClient, report: (problem: string) => void): ServiceClient {
  return {
    close: () => client.close(),
    async call(id, input, options) {
      const { expand, method }: Operation = operations[id]
      const given = Object.values(input.params ?? {})
      const value = expand?.values.find(each => given.includes(each))
      const described = describedAs(id, value)
      const check = (status: number, mediaType: string, text: string): void => {
        const problem = undocumented(described, method, { status, mediaType, text })
        if (problem !== null) report(problem)
      }
      try {
        const reply = await client.call(id, input, options)
        if (reply.kind === 'json') check(reply.status, 'application/json', JSON.stringify(reply.body))
        else check(reply.status, reply.kind === 'bytes' ? reply.mediaType : '', '')
        return reply
      } catch (error) {
        // without a status, the client itself refused the input
        if (error instanceof ServiceError && error.status !== null)
          check(error.status, 'application/json', JSON.stringify(error.body))
        throw error
      }
    },
  }
}
