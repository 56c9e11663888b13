/** An endpoint's state, the dialog that adds or changes one, and what can be done with one on its page, or with several in the list. */
import { call, type ResponseOf } from '../../api/call.ts'
import { FormDialog, useForm } from '../../parts/form.tsx'
import type { Change } from '../../parts/list/row-actions.tsx'
import { Badge, Command } from '../../parts/small.tsx'
import { useEventTypes } from './event-dialogs.tsx'

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

const REASONS = {
  manual: 'Disabled',
  failing: 'Disabled: failed for days',
  gone: 'Disabled: responded with 410',
} as const

/** An endpoint's state, in one word. */
export function EndpointState({ endpoint }: { readonly endpoint: Endpoint }) {
  const { state, disabled_reason, failing_since, target_problem } = endpoint
  if (state === 'disabled') return <Badge tone="warn">{REASONS[disabled_reason ?? 'manual']}</Badge>
  if (target_problem !== null) return <Badge tone="bad">Not reachable from here</Badge>
  return failing_since === null ? <Badge tone="good">Enabled</Badge> : <Badge tone="bad">Failing</Badge>
}

interface EndpointDialogProps {
  /** The endpoint to change; absent for a new one. */
  readonly endpoint?: Endpoint
  readonly onClose: () => void
  /** Receives the endpoint; a new one has its secret. */
  readonly onSaved: (endpoint: Endpoint & { readonly secret?: string }) => void
}

export function EndpointDialog({ endpoint, onClose, onSaved }: EndpointDialogProps) {
  const suggestions = useEventTypes()
  const { url = '', description = '', event_types: types = ['*'] } = endpoint ?? {}
  const form = useForm({ url, description, event_types: types.join(', ') }, async ({ event_types, ...settings }) => {
    const names = event_types.split(',').map(type => type.trim())
    const body = { ...settings, event_types: names.filter(Boolean) }
    if (endpoint === undefined) return onSaved(await call('webhook.create', { body }))
    onSaved(await call('webhook.update', { params: { endpoint_id: endpoint.endpoint_id }, body }))
  })
  const isNew = endpoint === undefined
  return (
    <FormDialog
      title={isNew ? 'Add an endpoint' : 'Change the endpoint'}
      submit={isNew ? 'Add' : 'Save'}
      isReady={!isNew || form.values.url !== ''}
      onClose={onClose}
      form={form}
      fields={[
        { name: 'url', label: 'URL', type: 'url', isRequired: true, placeholder: 'https://example.com/webhooks' },
        { name: 'description', label: 'Description' },
        {
          name: 'event_types',
          label: 'Event types',
          suggestions,
          hint: 'Types or patterns, separated by commas. * stands for any characters, and * alone for all types.',
        },
      ]}
      foot={isNew && <Command words={['svc', 'webhook', 'create', form.values.url || 'URL']} />}
    />
  )
}
