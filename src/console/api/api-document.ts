/** The parts of the server's OpenAPI document that the pages read. */
import { sendRequest } from './call.ts'

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minItems?: number
  readonly maxItems?: number
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema: Schema
}

export interface DocumentedResponse {
  readonly $ref?: string
  readonly description?: string
  readonly content?: Content
}

interface Described {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly 'x-audience'?: string
  readonly deprecated?: boolean
  /** Alternatives. Each one lists the security schemes that a request must satisfy together. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, DocumentedResponse>>
}

export interface ApiDocument {
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, DocumentedResponse>>
    /** The headers that contain secrets, by scheme. */
    readonly securitySchemes: Readonly<Record<string, { readonly name: string }>>
  }
}

export interface ApiOperation extends Described {
  readonly method: string
  readonly path: string
}

let document: Promise<ApiDocument> | null = null

/** Loads the document once, because it changes only with the server's version. Throws Problem. */
export async function loadDocument(): Promise<ApiDocument> {
  document ??= sendRequest('GET', '/openapi.json').then(
    response => response.json() as Promise<ApiDocument>, // the server's own tests check that it is valid OpenAPI
  )
  return document.catch((error: unknown) => {
    document = null
    throw error
  })
}

/** Returns all operations, in the order of the document. */
export function listOperations(document: ApiDocument): readonly ApiOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ ...described, method: method.toUpperCase(), path })),
  )
}
