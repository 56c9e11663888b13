/** The dialog that resends the events in a time range, for example after an endpoint outage. */
import { withoutEmpty } from '../../api/body.ts'
import { call } from '../../api/call.ts'
import { useLoad } from '../../api/use-call.ts'
import { type DialogProps, FormDialog, toUtc, useForm } from '../../parts/form.tsx'
import { count } from '../../parts/table.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { useEventTypes } from './event-types.ts'

const EMPTY = { since: '', until: '', type: '', endpoint_id: '', dead_only: true }

export function ResendDialog({ onClose, onDone }: DialogProps) {
  const toast = useToast()
  const endpoints = useLoad('webhook.list', {})
  const suggestions = useEventTypes()
  const form = useForm(EMPTY, async ({ since, until, ...rest }) => {
    const body = { ...withoutEmpty({ until: toUtc(until), ...rest }), since: toUtc(since) }
    const { queued } = await call('events.resend', { body })
    toast({ text: queued === 1 ? 'One delivery was queued.' : `${count(queued)} deliveries were queued.` })
    onDone()
    onClose()
  })
  return (
    <FormDialog
      title="Resend the events of a period"
      submit="Resend"
      isReady={form.values.since !== ''}
      onClose={onClose}
      form={form}
      fields={[
        {
          name: 'since',
          label: 'Since',
          type: 'datetime-local',
          isRequired: true,
          hint: "UTC, on the engine's clock",
        },
        { name: 'until', label: 'Until', type: 'datetime-local', hint: 'UTC, exclusive. Leave it empty for now.' },
        { name: 'type', label: 'Type', suggestions, hint: 'Leave it empty for all types' },
        {
          name: 'endpoint_id',
          label: 'Endpoint',
          options: [
            { value: '', label: 'All that subscribe to the type' },
            ...(endpoints.data?.endpoints ?? []).map(each => ({ value: each.endpoint_id, label: each.url })),
          ],
        },
        {
          name: 'dead_only',
          type: 'check',
          label: 'Only dead deliveries',
          hint: 'Deliveries whose attempts have all failed. Otherwise, endpoints also receive events again that they have accepted.',
        },
      ]}
    />
  )
}
