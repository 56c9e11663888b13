/** What commands show of webhook endpoints, and say about their secrets. */
import { type Facts, factSheet, type View, view } from '../output/view.ts'
import type { Endpoint } from './endpoint-argument.ts'

export const SECRET_IS_SHOWN_ONCE =
  'The secret is shown this once: it is kept sealed. Give it to the application that checks the signatures.'

export function endpointsView(endpoints: readonly Endpoint[]): View<Endpoint> {
  return view(
    endpoints,
    {
      endpoint_id: endpoint => endpoint.endpoint_id,
      url: endpoint => endpoint.url,
      event_types: endpoint => endpoint.event_types.join(' '),
      state: stateOf,
      waiting: endpoint => endpoint.waiting,
      dead: endpoint => endpoint.dead,
      description: endpoint => endpoint.description,
      created_at: endpoint => endpoint.created_at,
    },
    'No webhook endpoints. `svc webhook create URL` makes one.',
  )
}

/** With its secret where the answer holds it. */
export function endpointView(endpoint: Endpoint & { readonly secret?: string }): View<Facts> {
  return factSheet({ ...endpoint, event_types: endpoint.event_types.join(' ') })
}

function stateOf({ state, disabled_reason }: Endpoint): string {
  return disabled_reason === null ? state : `${state} (${disabled_reason})`
}
