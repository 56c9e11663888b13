/** The dialog that triggers events of one type for a user. */
import { call } from '../../api/call.ts'
import { Problem } from '../../api/problem.ts'
import { type DialogProps, FormDialog, useForm } from '../../parts/form.tsx'
import { Command } from '../../parts/small.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { useEventTypes } from './event-types.ts'

const NEW = { type: 'daily.data.glucose.created', count: '1', set: '', only_event: false }

export function TriggerDialog({ userId, onClose, onDone }: DialogProps & { readonly userId: string | null }) {
  const toast = useToast()
  const suggestions = useEventTypes()
  const form = useForm({ ...NEW, user_id: userId ?? '' }, async ({ count, set, ...rest }) => {
    const { events } = await call('event.trigger', { body: { ...rest, count: Number(count), set: parseValues(set) } })
    toast({ text: events.length === 1 ? 'One event was triggered.' : `${events.length} events were triggered.` })
    onDone()
    onClose()
  })
  const { type, user_id, count, set, only_event } = form.values
  return (
    <FormDialog
      title="Trigger an event"
      submit="Trigger"
      isReady={user_id !== '' && type !== ''}
      onClose={onClose}
      form={form}
      fields={[
        { name: 'type', label: 'Type', suggestions },
        { name: 'user_id', label: 'User', type: 'user' },
        { name: 'count', label: 'Number of changes', type: 'number', min: 1 },
        {
          name: 'set',
          label: 'Values to set',
          lines: 4,
          placeholder: '{"data.value": 140}',
          hint: 'A JSON object of values by their path in the event body. Leave it empty to use an example of the type.',
        },
        {
          name: 'only_event',
          type: 'check',
          label: 'Only the event',
          hint: 'Writes the event and changes no data.',
        },
      ]}
      foot={
        set === '' && (
          <Command
            words={['svc', 'event', 'trigger', type]}
            flags={{ '--user': user_id || 'USER', '--count': count !== '1' && count, '--only-event': only_event }}
          />
        )
      }
    />
  )
}

/** Parses the values to set; undefined for an empty text. Throws Problem if the text is not a JSON object. */
function parseValues(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return undefined
  const message = 'The values must be a JSON object, such as {"data.value": 140}.'
  const wrong = new Problem(422, 'invalid_request', message, [{ field: 'set', message }])
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed }
  } catch {
    // reported below, as for any other invalid text
  }
  throw wrong
}
