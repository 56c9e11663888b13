/** The dialogs that add and change an endpoint. */
import { call, type ResponseOf } from '../../api/call.ts'
import { type Entry, FormDialog, useForm } from '../../parts/form.tsx'
import { Command } from '../../parts/small.tsx'
import { useEventTypes } from './event-types.ts'

const NEW = { url: '', description: '', event_types: '*' }
type Settings = typeof NEW

const buildBody = ({ url, description, event_types }: Settings) => ({
  url,
  description,
  event_types: event_types
    .split(',')
    .map(type => type.trim())
    .filter(Boolean),
})

function useFields(): readonly Entry<Settings>[] {
  const suggestions = useEventTypes()
  return [
    { name: 'url', label: 'URL', type: 'url', isRequired: true, placeholder: 'https://example.com/webhooks' },
    { name: 'description', label: 'Description' },
    {
      name: 'event_types',
      label: 'Event types',
      suggestions,
      hint: 'Types or patterns, separated by commas. * stands for any characters, and * alone for all types.',
    },
  ]
}

interface NewEndpointDialogProps {
  readonly onClose: () => void
  /** Called with the secret of the new endpoint. */
  readonly onAdded: (secret: string) => void
}

export function NewEndpointDialog({ onClose, onAdded }: NewEndpointDialogProps) {
  const form = useForm(NEW, async settings => {
    const { secret } = await call('webhook.create', { body: buildBody(settings) })
    onAdded(secret)
  })
  const { url } = form.values
  return (
    <FormDialog
      title="Add an endpoint"
      submit="Add"
      isReady={url !== ''}
      onClose={onClose}
      form={form}
      fields={useFields()}
      foot={<Command words={['svc', 'webhook', 'create', url || 'URL']} />}
    />
  )
}

interface EditEndpointDialogProps {
  readonly endpoint: ResponseOf<'webhook.get'>
  readonly onClose: () => void
  readonly onChanged: (endpoint: ResponseOf<'webhook.get'>) => void
}

export function EditEndpointDialog({ endpoint, onClose, onChanged }: EditEndpointDialogProps) {
  const { endpoint_id, url, description, event_types } = endpoint
  const form = useForm({ url, description, event_types: event_types.join(', ') }, async settings =>
    onChanged(await call('webhook.update', { params: { endpoint_id }, body: buildBody(settings) })),
  )
  return <FormDialog title="Change the endpoint" submit="Save" onClose={onClose} form={form} fields={useFields()} />
}
