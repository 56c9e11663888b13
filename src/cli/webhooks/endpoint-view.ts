/** Shows webhook endpoints, and the notes about their secrets. */
import { type Facts, factSheet, fields, ranked, type View, view } from '../../output/view.ts'
import type { Endpoint } from '../arguments/endpoint-argument.ts'

export const SECRET_IS_SHOWN_ONCE =
  'Copy the secret now and give it to the application that verifies the signatures. It is stored encrypted and cannot be shown again.'

export function endpointsView(endpoints: readonly Endpoint[]): View<Endpoint> {
  return ranked(
    ['url', 'state', 'endpoint_id', 'waiting', 'dead', 'event_types', 'created_at'],
    view(
      endpoints,
      {
        ...fields<Endpoint>('endpoint_id', 'url'),
        event_types: endpoint => endpoint.event_types.join(' '),
        state: describeState,
        ...fields<Endpoint>('waiting', 'dead', 'description', 'created_at'),
      },
      'No webhook endpoints. Create one with `svc webhook create URL`.',
    ),
  )
}

/** Includes the secret if the response contains it. */
export function endpointView(endpoint: Endpoint & { readonly secret?: string }): View<Facts> {
  return factSheet({ ...endpoint, event_types: endpoint.event_types.join(' ') })
}

/** Returns a line for each endpoint that does not receive deliveries because of its URL. */
export function targetProblems(endpoints: readonly Endpoint[]): readonly string[] {
  return endpoints.flatMap(({ endpoint_id, target_problem }) =>
    target_problem === null ? [] : [`Nothing is sent to ${endpoint_id}. ${target_problem}`],
  )
}

function describeState({ state, disabled_reason, target_problem }: Endpoint): string {
  if (disabled_reason !== null) return `${state} (${disabled_reason})`
  return target_problem === null ? state : `${state} (refused)`
}
