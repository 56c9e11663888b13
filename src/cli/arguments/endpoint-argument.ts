/** ENDPOINT: an endpoint_id, its first characters, or the URL of exactly one endpoint. */

import { string as stringArg } from '@oclif/core/args'
import type { ResponseOf } from '../../client/client.ts'
import { ServiceError } from '../../core/errors.ts'
import { isUuid } from '../../core/ids.ts'

export type Endpoint = ResponseOf<'webhook.get'>

const FEWEST_CHARACTERS = 4

export const endpointArgument = () =>
  stringArg({
    required: true,
    description: 'Endpoint, as endpoint_id, its first characters, or URL; see `svc webhook list`',
  })

/** Returns the endpoint_id for an ENDPOINT; `list` requests the endpoints from the service. Throws ServiceError `not_found` or `usage`. */
export async function resolveEndpointId(
  given: string,
  list: () => Promise<{ readonly endpoints: readonly Endpoint[] }>,
): Promise<string> {
  if (isUuid(given)) return given
  const { endpoints } = await list()
  const start = given.toLowerCase()
  const found = endpoints.filter(
    each => each.url === given || (given.length >= FEWEST_CHARACTERS && each.endpoint_id.startsWith(start)),
  )
  const [one, another] = found
  if (one === undefined) {
    throw new ServiceError('not_found', 'There is no such webhook endpoint.', {
      suggestions: [
        '`svc webhook list` lists the endpoints.',
        ...(given.length < FEWEST_CHARACTERS
          ? [`Give at least ${FEWEST_CHARACTERS} characters of an endpoint_id.`]
          : []),
      ],
    })
  }
  if (another !== undefined) {
    throw new ServiceError('usage', `ENDPOINT matches ${found.length} webhook endpoints.`, {
      suggestions: [
        `Give one of these: ${found
          .slice(0, 5)
          .map(each => each.endpoint_id)
          .join(', ')}.`,
      ],
    })
  }
  return one.endpoint_id
}
