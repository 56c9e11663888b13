/** Builds the request of an operation from the values of its form. */
import type { ApiDocument, ApiOperation, Parameter, Schema } from '../../api/api-document.ts'
import { withQuery } from '../../api/call.ts'
import type { SentRequest } from './snippets.ts'

/** Texts by the name of their parameter. */
export type Values = Readonly<Record<string, string>>

/** Variables for the secrets of a request, by security scheme. */
const VARIABLES: Readonly<Record<string, string>> = { apiKey: 'SVC_API_KEY', linkToken: 'SVC_LINK_TOKEN' }

/** Returns the schema of the JSON body; undefined if there is no body or the body is a file. */
export function bodySchema({ requestBody }: ApiOperation): Schema | undefined {
  return requestBody?.content['application/json']?.schema
}

/** Returns why the page cannot send the request; null if it can. */
export function unsendable(operation: ApiOperation): string | null {
  if (operation.requestBody && !bodySchema(operation))
    return 'This operation takes a file, which cannot be sent here. Use the Import or Engine page, or the code below.'
  if (operation.security.some(each => 'linkToken' in each))
    return 'This operation needs a link token instead of your session. Create one with POST /v2/link/token, then use the code below.'
  return null
}

/** Returns the path and query. A path parameter without a value becomes a placeholder such as USER_ID. */
export function requestUrl(path: string, parameters: readonly Parameter[], values: Values): string {
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(values[name] || name.toUpperCase()),
  )
  const inQuery = parameters.filter(each => each.in === 'query')
  return withQuery(filled, Object.fromEntries(inQuery.map(({ name }) => [name, values[name]])))
}

/** Returns the request to write as code. `text` is the body, which may be empty. */
export function buildSentRequest(
  { components }: ApiDocument,
  operation: ApiOperation,
  url: string,
  text: string,
): SentRequest {
  const { method, security, requestBody, responses } = operation
  const [scheme = ''] = security.flatMap(Object.keys)
  const header = components.securitySchemes[scheme]?.name
  const isFile = requestBody && !bodySchema(operation)
  const json = { type: 'application/json', text: formatJson(text) }
  const content = responses['200']?.content
  return {
    ...{ method, url },
    secret: header === undefined ? null : { header, variable: VARIABLES[scheme] ?? '' },
    body: isFile ? { type: Object.keys(requestBody.content)[0] ?? '', text: null } : text === '' ? null : json,
    reply: content === undefined ? 'nothing' : 'application/json' in content ? 'json' : 'file',
  }
}

/** Indents JSON. A text that is not JSON stays as it is, as when it is sent. */
function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
