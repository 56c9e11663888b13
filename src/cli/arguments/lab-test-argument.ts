/** Looks up lab tests. Every command accepts their ID or slug. */
import type { ServiceClient } from '../../client/client.ts'
import { didYouMean, ServiceError } from '../../core/errors.ts'
import { isUuid } from '../../core/ids.ts'

const MOST_AT_ONCE = 500

/** Returns the IDs of lab tests. Throws ServiceError `not_found` for an unknown slug. */
export async function labTestIds(client: ServiceClient, given: readonly string[]): Promise<string[]> {
  if (given.every(isUuid)) return [...given]
  const known = await labTestSlugs(client)
  return given.map(name => (isUuid(name) ? name : (known.get(name) ?? unknown(name, known.keys()))))
}

async function labTestSlugs(client: ServiceClient): Promise<Map<string, string>> {
  const slugs = new Map<string, string>()
  let cursor: string | null | undefined
  do {
    const query = {
      lab_test_limit: MOST_AT_ONCE,
      generation_method: 'all' as const,
      ...(cursor ? { next_cursor: cursor } : {}),
    }
    const reply = await client.call('labs.tests', { query })
    if (reply.kind !== 'json') throw new ServiceError('bad_response', 'The response to labs.tests is not JSON.')
    for (const test of reply.body.data) slugs.set(test.slug, test.id)
    cursor = reply.body.next_cursor
  } while (cursor)
  return slugs
}

function unknown(name: string, known: Iterable<string>): never {
  throw new ServiceError('not_found', `There is no lab test "${name}".${didYouMean(name, known)}`, {
    suggestions: ['`svc labs tests` lists the lab tests.'],
  })
}
