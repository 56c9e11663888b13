/** The dialog that resends the events in a time range, for example after an endpoint outage. It counts them first. */
import { useState } from 'preact/hooks'
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
  const [counted, setCounted] = useState({ values: { ...EMPTY }, found: '' })
  const form = useForm(EMPTY, async values => {
    if (values !== counted.values) return setCounted({ values, found: await countEvents(values) })
    const { since, until, ...rest } = values
    const body = { ...withoutEmpty({ until: toUtc(until), ...rest }), since: toUtc(since) }
    const { queued } = await call('events.resend', { body })
    toast({ text: queued === 1 ? 'One delivery was queued.' : `${count(queued)} deliveries were queued.` })
    onDone()
    onClose()
  })
  const isCounted = form.values === counted.values
  return (
    <FormDialog
      title="Resend events…"
      submit={isCounted ? 'Resend' : 'Count the events'}
      isReady={form.values.since !== '' && !(isCounted && counted.found === NONE)}
      notReady={isCounted ? 'Change the period or the filters.' : 'Choose a start first.'}
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
      foot={<p role="status">{isCounted && counted.found}</p>}
    />
  )
}

const MOST_COUNTED = 500
const NONE = 'No events match.'

/** Returns how many events match. There may be several deliveries of an event. */
async function countEvents({ since, until, type, endpoint_id, dead_only }: typeof EMPTY): Promise<string> {
  // unlike resending, the list includes the end of the period
  const last = until && new Date(Date.parse(toUtc(until)) - 1).toISOString()
  const filter = { until: last, type, ...(dead_only ? { state: 'dead' as const, endpoint_id } : {}) }
  const query = { ...withoutEmpty(filter), since: toUtc(since), limit: MOST_COUNTED }
  const { data, next_cursor } = await call('event.list', { query })
  if (next_cursor !== null) return `At least ${count(MOST_COUNTED)} events match.`
  return data.length === 0 ? NONE : data.length === 1 ? 'One event matches.' : `${count(data.length)} events match.`
}
