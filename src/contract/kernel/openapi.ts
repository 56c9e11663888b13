/** Builds the OpenAPI 3.1 document from the operations table. See docs/architecture.md. */
import type * as z from 'zod'
import { type ProviderRegistry, SHIPPED_REGISTRY } from '../../catalogue/providers.ts'
import { ERROR_CATALOGUE } from '../../core/error-catalogue.ts'
import { type OperationId, operationIds, operations } from '../operations.ts'
import { Components, type JsonObject } from './json-schema.ts'
import { type Operation, takesIdempotencyKey } from './operation.ts'
import { errorBody } from './primitives.ts'
import { TAG_MEANINGS } from './tags.ts'

export interface OpenApiOptions {
  /** Version of the program that serves the document. */
  readonly version: string
  /** URL of the service; omitted from the document if null. */
  readonly serverUrl: string | null
  /** The providers whose slugs requests may contain. By default, the shipped providers. */
  readonly providers?: ProviderRegistry
}

/** The schema of a raw byte body. */
const BYTES: JsonObject = { schema: { type: 'string', format: 'binary' } }

/** Error statuses with which every operation can respond, besides its own. */
const COMMON_ERRORS = [422, 429, 500, 503, 507]

/** Builds the whole document. Every timeseries and summary resource has its own path, because its unit is a literal. */
export function openApiDocument(options: OpenApiOptions): JsonObject {
  const components = new Components()
  const { providers = SHIPPED_REGISTRY } = options
  const statuses = new Set<number>()
  const paths: Record<string, Record<string, JsonObject>> = {}
  const put = (path: string, method: string, described: JsonObject): void => {
    paths[path] ??= {}
    paths[path][method.toLowerCase()] = described
  }
  for (const id of operationIds) {
    const operation: Operation = operations[id]
    for (const status of errorStatuses(operation)) statuses.add(status)
    if (operation.expand?.deprecations) statuses.add(410)
    const { expand } = operation
    const parts = { components, params: operation.params(providers), body: operation.body?.(providers) }
    if (!expand) put(operation.path, operation.method, describe(id, operation, operation.reply(), parts))
    else {
      for (const value of expand.values) {
        const path = operation.path.replace(`{${expand.param}}`, value)
        put(path, operation.method, describe(id, operation, expand.reply(value), parts, value))
      }
    }
  }
  components.schema(errorBody(), 'output')
  return {
    openapi: '3.1.0',
    info: {
      title: 'Health data aggregation service',
      version: options.version,
      description: 'Users, linking, timeseries, aggregate queries, labs and orders, and operations for operators.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    ...(options.serverUrl === null ? {} : { servers: [{ url: options.serverUrl }] }),
    tags: [...new Set(operationIds.map(id => operations[id].tag as string))].map(name => ({
      name,
      ...(TAG_MEANINGS[name] === undefined ? {} : { description: TAG_MEANINGS[name] }),
    })),
    paths,
    components: {
      schemas: components.all(),
      responses: Object.fromEntries(
        [...statuses].sort((a, b) => a - b).map(status => [`E${status}`, errorResponse(status)]),
      ),
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-service-api-key', description: "A team's API key" },
        linkToken: {
          type: 'apiKey',
          in: 'header',
          name: 'x-service-link-token',
          description: 'A link token: valid for 60 minutes and one link. No API key is needed with it.',
        },
      },
    },
  }
}

/** The component collection and a request's schemas. */
interface Parts {
  readonly components: Components
  readonly params: z.ZodObject
  readonly body: z.ZodType | undefined
}

function describe(
  id: OperationId,
  operation: Operation,
  reply: z.ZodType,
  { components, params, body }: Parts,
  expanded?: string,
): JsonObject {
  const parameters = [
    ...components
      .fields(params)
      .filter(field => expanded === undefined || field.name !== operation.expand?.param)
      .map(field => ({ name: field.name, in: 'path', required: true, schema: field.schema })),
    ...components.fields(querySchema(operation, expanded)).map(field => queryParameter(field)),
    ...(operation.headers
      ? components.fields(operation.headers()).map(field => ({ ...queryParameter(field), in: 'header' }))
      : []),
    // these body fields may also be sent in the query, where none of them is required
    ...(operation.bodyFromQuery && body
      ? components.fields(body as z.ZodObject).map(field => queryParameter({ ...field, required: false }))
      : []),
  ]
  const removed = expanded !== undefined && operation.expand?.deprecations?.[expanded] !== undefined
  const bytes = (operation.alsoReplies ?? []).map(type => [type, BYTES])
  return {
    operationId: expanded === undefined ? id : `${id}.${expanded}`,
    summary: expanded === undefined ? operation.summary : `${operation.summary}: ${expanded}`,
    tags: [operation.tag],
    'x-audience': operation.audience,
    ...(operation.deprecation || removed ? { deprecated: true } : {}),
    security: security(operation),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body ? { requestBody: requestBody(operation, body, components) } : {}),
    responses: {
      ...(operation.repliesNothing
        ? { '204': { description: 'Done' } }
        : {
            '200': {
              description: 'Done',
              content: {
                ...(operation.repliesBytes === undefined
                  ? { 'application/json': { schema: components.schema(reply, 'output') } }
                  : { [operation.repliesBytes]: BYTES }),
                ...Object.fromEntries(bytes),
              },
            },
          }),
      ...Object.fromEntries(
        errorStatuses(operation).map(status => [status, errorReference(operation, status, components)]),
      ),
      ...(removed ? { '410': { $ref: '#/components/responses/E410' } } : {}),
    },
  }
}

function querySchema(operation: Operation, expanded: string | undefined): z.ZodObject {
  const own = operation.expand?.query
  return expanded === undefined || own === undefined ? operation.query() : own(expanded)
}

/** Returns a reference to the shared response of a status, or the operation's own response if that has more fields. */
function errorReference(operation: Operation, status: number, components: Components): JsonObject {
  const body = operation.errorBodies?.[status]
  if (body === undefined) return { $ref: `#/components/responses/E${status}` }
  return {
    description: GENERAL_MEANING[status] ?? 'The service refused the request.',
    content: { 'application/json': { schema: components.schema(body(), 'output') } },
  }
}

function queryParameter(field: { name: string; required: boolean; schema: JsonObject }): JsonObject {
  const { deprecated, ...schema } = field.schema
  return {
    name: field.name,
    in: 'query',
    required: field.required,
    ...(deprecated === true ? { deprecated } : {}),
    schema,
  }
}

function security(operation: Operation): JsonObject[] {
  if (operation.auth === 'none') return []
  return operation.auth === 'link_token' ? [{ linkToken: [] }] : [{ apiKey: [] }]
}

function requestBody(operation: Operation, body: z.ZodType, components: Components): JsonObject {
  if (operation.bodyIsBytes) {
    // every media type is accepted
    const types = [...(operation.bodyMediaTypes ?? []), 'application/octet-stream']
    return { required: true, content: Object.fromEntries(types.map(type => [type, BYTES])) }
  }
  const schema = components.schema(body, 'input')
  return {
    required: !operation.bodyFromQuery && !operation.bodyIsOptional,
    content: { 'application/json': { schema } },
  }
}

function errorStatuses(operation: Operation): number[] {
  const own = operation.auth === 'none' ? [] : [401]
  const body = operation.body && !operation.bodyIsBytes ? [413, 415] : []
  // bytes have the type in the query, regardless of the Accept header
  const media = operation.alsoReplies && operation.repliesBytes === undefined ? [406] : []
  const forbidden = operation.reach || operation.beta ? [403] : []
  const special = operation.needs ? [501] : []
  // a change may exceed a quota
  const keyed = takesIdempotencyKey(operation) ? [403, 409] : []
  return [
    ...new Set([...own, ...body, ...media, ...forbidden, ...keyed, ...special, ...operation.errors, ...COMMON_ERRORS]),
  ].sort((a, b) => a - b)
}

/** Meaning of each status. The general entry is used, which follows the specific ones in the catalogue. */
const GENERAL_MEANING: Readonly<Record<number, string>> = {
  400: ERROR_CATALOGUE.bad_request.meaning,
  401: ERROR_CATALOGUE.invalid_api_key.meaning,
  403: "The caller may not do this: the operation requires an operator's key or a feature that the team does not have, or exceeds a quota.",
  404: ERROR_CATALOGUE.not_found.meaning,
  406: ERROR_CATALOGUE.not_acceptable.meaning,
  410: ERROR_CATALOGUE.gone.meaning,
  413: ERROR_CATALOGUE.body_too_large.meaning,
  415: ERROR_CATALOGUE.unsupported_media_type.meaning,
  422: ERROR_CATALOGUE.invalid_request.meaning,
  429: ERROR_CATALOGUE.rate_limited.meaning,
  500: ERROR_CATALOGUE.server_failed.meaning,
  501: ERROR_CATALOGUE.store_unsupported.meaning,
  503: 'The server cannot do this now: it holds too many request bodies, the data folder is locked for too long, or its database was lost or does not respond.',
  507: ERROR_CATALOGUE.disk_full.meaning,
}

function errorResponse(status: number): JsonObject {
  const waits = status === 429 || status === 503 || status === 507
  return {
    description: GENERAL_MEANING[status] ?? 'The service refused the request.',
    ...(waits
      ? {
          headers: {
            'Retry-After': { description: 'Seconds to wait before the next attempt', schema: { type: 'string' } },
          },
        }
      : {}),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  }
}
