/** Reads the status in a Withings response's body, because the HTTP status is 200 even for failures. */

import { ProviderError, type ProviderErrorKind, type ProviderResponse } from '../../provider-session.ts'
import { asNumber, asText, member } from '../../shared/json-fields.ts'

export interface WithingsResponse {
  readonly status: number
  readonly body: unknown
  /** Error text for developers, which is never shown because it may repeat the request. */
  readonly error: string
}

/** Groups of statuses, each as a list of numbers and ranges. Any other number is a failure at Withings. */
const FAMILIES: readonly (readonly [kind: ProviderErrorKind, statuses: string])[] = [
  ['access_refused', '100-102 200 401'],
  ['scope_missing', '214 277 2553 2555'],
  [
    'bad_request',
    '201-213 216-218 220-221 223 225 227-230 234-236 238 240-252 254 260-267 271-272 275-276 283-288 290 293-295 297 ' +
      '300-304 321 323-353 380-382 400 501-511 523 532 2554',
  ],
  ['rate_limited', '601'],
]

const KINDS = new Map<number, ProviderErrorKind>(
  FAMILIES.flatMap(([kind, statuses]) =>
    statuses.split(' ').flatMap(span => {
      const [from = 0, to = from] = span.split('-').map(Number)
      return Array.from({ length: to - from + 1 }, (_, i) => [from + i, kind] as const)
    }),
  ),
)

const SENTENCES: Partial<Record<ProviderErrorKind, string>> = {
  access_refused: 'Withings refused the access token.',
  scope_missing: 'The access to this data was not granted.',
  bad_request: 'Withings refused the parameters of the request.',
  rate_limited: 'Too many requests were sent to Withings.',
  unavailable: 'Withings failed to respond.',
}

/** Reads a response's status. Throws ProviderError `bad_answer` if the response does not have Withings' structure. */
export function readResponse(response: ProviderResponse): WithingsResponse {
  const json = response.json()
  const status = asNumber(member(json, 'status'))
  if (status === undefined)
    throw new ProviderError('bad_answer', 'The response has no status.', { status: response.status })
  return { status, body: member(json, 'body'), error: asText(member(json, 'error')) ?? '' }
}

/** Returns a status's meaning; null if the status is not a failure. */
export function classifyStatus(status: number): ProviderErrorKind | null {
  return status === 0 ? null : (KINDS.get(status) ?? 'unavailable')
}

/** Returns a data request's failure; null if there is none. */
export function statusFailure(status: number): ProviderError | null {
  const kind = classifyStatus(status)
  return kind && new ProviderError(kind, `${SENTENCES[kind] ?? ''} Status ${status}.`)
}
