/** Reads the request body of an aggregate query from a file or stdin. */
import type { QueryBatchInput } from '../../contract/aggregates/aggregate.ts'
import { ServiceError } from '../../core/errors.ts'
import { isObject } from '../runtime/json-text.ts'
import { readText } from '../runtime/standard-input.ts'

/** Key that refers to the schema of a query file, for editors (query-schema.ts). It is not sent, because the service does not accept it. */
export const SCHEMA_KEY = '$schema'

const FORM = '{"timeframe": …, "queries": […]}'
const HOW = ['`svc aggregate query USER --select … --past … --print-query` prints an example.']

/**
 * Reads the query; `-` is stdin. Throws ServiceError `usage` when it cannot be read or is not a JSON object; the service checks the rest.
 */
export async function readQuery(given: string): Promise<QueryBatchInput> {
  const text = await readText(given)
  const name = given === '-' ? 'Stdin' : given
  const document = parsed(text, name)
  if (isObject(document)) {
    const { [SCHEMA_KEY]: _, ...query } = document
    // The operation's own schema validates it when it is called.
    return query as QueryBatchInput
  }
  throw new ServiceError('usage', `${name} must contain a JSON object of the form ${FORM}.`, { suggestions: HOW })
}

function parsed(text: string, name: string): unknown {
  // Strip the byte order mark that some editors put in front of UTF-8.
  const json = text.replace(/^\uFEFF/, '')
  if (json.trim() === '')
    throw new ServiceError('usage', `${name} is empty. A query has the form ${FORM}.`, { suggestions: HOW })
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new ServiceError('usage', `${name} is not valid JSON${describePosition(cause, json)}.`, {
      cause,
      suggestions: HOW,
    })
  }
}

/** Returns the position at which the parser stopped, if it reports one. */
function describePosition(error: unknown, json: string): string {
  const position = /at position (\d+)/.exec(String(error))?.[1]
  if (position === undefined) return ''
  const before = json.slice(0, Number(position)).split('\n')
  return `: the error is at line ${before.length}, column ${(before.at(-1) as string).length + 1}`
}
