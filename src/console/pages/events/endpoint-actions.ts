/** What can be done with endpoints: with one on its page, or with several in the list. */
import { call, type ResponseOf } from '../../api/call.ts'
import type { Change } from '../../parts/list/row-actions.tsx'

type Endpoint = ResponseOf<'webhook.get'>

const enable = ({ endpoint_id }: Endpoint) => call('webhook.enable', { params: { endpoint_id } })
const disable = ({ endpoint_id }: Endpoint) => call('webhook.disable', { params: { endpoint_id } })

export const FLIPS: readonly Change<Endpoint>[] = [
  {
    title: 'Enable',
    needs: 'webhook.enable',
    done: 'enabled',
    fits: ({ state }) => state === 'disabled',
    act: each => enable(each).then(() => 'The endpoint is enabled.'),
    undo: disable,
    isForMany: true,
  },
  {
    title: 'Disable',
    needs: 'webhook.disable',
    done: 'disabled',
    fits: ({ state }) => state === 'enabled',
    act: each =>
      disable(each).then(() => 'The endpoint is disabled. Its waiting deliveries are dead; you can resend them.'),
    undo: enable,
    confirm: 'Waiting deliveries become dead; you can resend them.',
    isForMany: true,
  },
]

export const DELETE: Change<Endpoint> = {
  title: 'Delete',
  needs: 'webhook.delete',
  done: 'deleted',
  act: ({ endpoint_id }) => call('webhook.delete', { params: { endpoint_id } }),
  confirm:
    'The record of the deliveries is also deleted. This cannot be undone. To stop deliveries for a while, disable the endpoint instead.',
  isDanger: true,
  isForMany: true,
}
