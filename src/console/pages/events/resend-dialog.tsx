/** Resends the events of a period, for example after an outage of an endpoint. */
import { useState } from 'preact/hooks'
import { call } from '../../api/call.ts'
import { useAction, useLoad } from '../../api/use-call.ts'
import { CheckField, problemWith, SelectField, TextField } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { ProblemNote } from '../../parts/states.tsx'
import { count } from '../../parts/table.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { TypeField } from './type-field.tsx'

export function ResendDialog({ onClose, onDone }: { readonly onClose: () => void; readonly onDone: () => void }) {
  const toast = useToast()
  const endpoints = useLoad('webhook.list', {})
  const [since, setSince] = useState('')
  const [until, setUntil] = useState('')
  const [type, setType] = useState('')
  const [endpoint, setEndpoint] = useState('')
  const [deadOnly, setDeadOnly] = useState(true)
  const resend = useAction(async () => {
    const { queued } = await call('events.resend', {
      body: {
        since: `${since}:00Z`,
        ...(until === '' ? {} : { until: `${until}:00Z` }),
        ...(type === '' ? {} : { type }),
        ...(endpoint === '' ? {} : { endpoint_id: endpoint }),
        dead_only: deadOnly,
      },
    })
    toast({ text: queued === 1 ? 'One delivery was queued.' : `${count(queued)} deliveries were queued.` })
    onDone()
    onClose()
  })
  const options = [
    { value: '', label: 'All that subscribe to the type' },
    ...(endpoints.data?.endpoints ?? []).map(each => ({ value: each.endpoint_id, label: each.url })),
  ]
  return (
    <FormDialog
      title="Resend the events of a period"
      onClose={onClose}
      action={resend}
      submit="Resend"
      isReady={since !== ''}
    >
      <TextField
        label="Since"
        type="datetime-local"
        value={since}
        onInput={setSince}
        isRequired
        hint="UTC, on the engine's clock"
        problem={problemWith(resend.problem, 'since')}
      />
      <TextField
        label="Until"
        type="datetime-local"
        value={until}
        onInput={setUntil}
        hint="UTC, exclusive. Leave it empty for now."
        problem={problemWith(resend.problem, 'until')}
      />
      <TypeField
        label="Type"
        value={type}
        onInput={setType}
        problem={problemWith(resend.problem, 'type')}
        hint="Leave it empty for all types"
      />
      <SelectField label="Endpoint" value={endpoint} onChange={setEndpoint} options={options} />
      <CheckField
        label="Only dead deliveries"
        isChecked={deadOnly}
        onChange={setDeadOnly}
        hint="Deliveries whose attempts have all failed. Otherwise, endpoints also receive again what they have accepted."
      />
      <ProblemNote problem={resend.problem} />
    </FormDialog>
  )
}
