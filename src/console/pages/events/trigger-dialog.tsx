/** Triggers events of a type for a user. */
import { useState } from 'preact/hooks'
import { call } from '../../api/call.ts'
import { Problem } from '../../api/problem.ts'
import { useAction } from '../../api/use-call.ts'
import { CheckField, problemWith, TextField } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Command } from '../../parts/small.tsx'
import { ProblemNote } from '../../parts/states.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { UserPicker } from '../../parts/user-picker.tsx'
import { TypeField } from './type-field.tsx'

interface TriggerDialogProps {
  readonly userId: string | null
  readonly onClose: () => void
  readonly onDone: () => void
}

export function TriggerDialog({ userId, onClose, onDone }: TriggerDialogProps) {
  const toast = useToast()
  const [user, setUser] = useState(userId)
  const [type, setType] = useState('daily.data.glucose.created')
  const [times, setTimes] = useState('1')
  const [values, setValues] = useState('')
  const [onlyEvent, setOnlyEvent] = useState(false)
  const trigger = useAction(async () => {
    const { events } = await call('event.trigger', {
      body: { type, user_id: user ?? '', count: Number(times), set: valuesOf(values), only_event: onlyEvent },
    })
    toast({ text: events.length === 1 ? 'One event was triggered.' : `${events.length} events were triggered.` })
    onDone()
    onClose()
  })
  const words = [
    'svc',
    'event',
    'trigger',
    type,
    '--user',
    user ?? 'USER',
    ...(times === '1' ? [] : ['--count', times]),
  ]
  return (
    <FormDialog
      title="Trigger an event"
      onClose={onClose}
      action={trigger}
      submit="Trigger"
      isReady={user !== null && type !== ''}
    >
      <TypeField label="Type" value={type} onInput={setType} problem={problemWith(trigger.problem, 'type')} />
      <UserPicker userId={user} onPick={picked => setUser(picked.user_id)} />
      <TextField
        label="Number of changes"
        type="number"
        min={1}
        value={times}
        onInput={setTimes}
        problem={problemWith(trigger.problem, 'count')}
      />
      <TextField
        label="Values to set"
        lines={4}
        value={values}
        onInput={setValues}
        placeholder='{"data.value": 140}'
        hint="A JSON object of values by their path in the body of the event. Leave it empty for an example of the type."
        problem={problemWith(trigger.problem, 'set')}
      />
      <CheckField
        label="Only the event"
        isChecked={onlyEvent}
        onChange={setOnlyEvent}
        hint="Writes the event and changes no data."
      />
      <ProblemNote problem={trigger.problem} />
      {values === '' && <Command words={[...words, ...(onlyEvent ? ['--only-event'] : [])]} />}
    </FormDialog>
  )
}

/** Reads the values to set; undefined for an empty text. Throws Problem if the text is not a JSON object. */
function valuesOf(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return undefined
  const message = 'The values must be a JSON object, such as {"data.value": 140}.'
  const wrong = new Problem(422, 'invalid_request', message, [{ field: 'set', message }])
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw wrong
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw wrong
  return parsed as Record<string, unknown> // an object of JSON has text keys
}
