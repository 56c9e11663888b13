/** Reads the request body of an aggregate query from a file or stdin. */
import { readFile } from 'node:fs/promises'
import type { QueryBatchInput } from '../../contract/aggregate.ts'
import { ServiceError } from '../../core/errors.ts'
import { checkReadable } from '../readable-file.ts'
import { readDocument } from '../standard-input.ts'

/** `-` is stdin. Throws ServiceError `usage` when it cannot be read or is no JSON object; the service checks the rest. */
export async function readQuery(given: string): Promise<QueryBatchInput> {
  const text = given === '-' ? await readDocument() : await readFile(await checkReadable(given), 'utf8')
  const name = given === '-' ? 'Stdin' : given
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (cause) {
    throw new ServiceError('usage', `${name} is not JSON.`, { cause })
  }
  if (typeof document === 'object' && document !== null && !Array.isArray(document)) {
    // parsed by the operation's own schema when it is called
    return document as QueryBatchInput
  }
  throw new ServiceError('usage', `${name} must hold a JSON object: {"timeframe": …, "queries": […]}.`)
}
