/** The dialogs that trigger events of one type for a user, and resend the events in a time range. */
import { useState } from 'preact/hooks'
import { withoutEmpty } from '../../api/body.ts'
import { call } from '../../api/call.ts'
import { Problem } from '../../api/problem.ts'
import { useLoad } from '../../api/use-call.ts'
import type { Option } from '../../parts/field.tsx'
import { type DialogProps, FormDialog, toUtc, useForm } from '../../parts/form.tsx'
import { Command } from '../../parts/small.tsx'
import { count } from '../../parts/table.tsx'
import { useToast } from '../../parts/toasts.tsx'

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

const EMPTY = { since: '', until: '', type: '', endpoint_id: '', dead_only: true }

/** Resends the events in a time range, for example after an endpoint outage. It counts them first. */
export function ResendDialog({ onClose, onDone }: DialogProps) {
  const toast = useToast()
  const endpoints = useLoad('webhook.list', {})
  const suggestions = useEventTypes()
  const [counted, setCounted] = useState({ values: { ...EMPTY }, found: '' })
  const form = useForm(EMPTY, async values => {
    if (values !== counted.values) return setCounted({ values, found: await countEvents(values) })
    const { since, until, ...rest } = values
    const body = { ...withoutEmpty({ until: toUtc(until), ...rest }), since: toUtc(since) }
    toast({ text: queuedText(await call('events.resend', { body })) })
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

/** Says how many deliveries a resending has queued. */
export const queuedText = ({ queued }: { readonly queued: number }): string =>
  queued === 1 ? 'One delivery was queued.' : `${count(queued)} deliveries were queued.`

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

/** Returns the event types that the server knows, as suggestions for a field that also accepts patterns. */
export function useEventTypes(): readonly Option[] | undefined {
  const { data } = useLoad('event.types', {})
  return data?.data.map(({ type, description }) => ({ value: type, label: description }))
}
