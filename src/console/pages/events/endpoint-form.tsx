/** The dialogs that add an endpoint and change one. */
import { useState } from 'preact/hooks'
import { type Answer, call } from '../../api/call.ts'
import type { Problem } from '../../api/problem.ts'
import { useAction } from '../../api/use-call.ts'
import { problemWith, TextField } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Command } from '../../parts/small.tsx'
import { ProblemNote } from '../../parts/states.tsx'
import { TypeField } from './type-field.tsx'

interface Settings {
  readonly url: string
  readonly description: string
  /** Separated by commas. */
  readonly types: string
}

const typesOf = (text: string): string[] =>
  text
    .split(',')
    .map(type => type.trim())
    .filter(Boolean)

interface NewEndpointDialogProps {
  readonly onClose: () => void
  /** Called with the secret of the new endpoint. */
  readonly onAdded: (secret: string) => void
}

export function NewEndpointDialog({ onClose, onAdded }: NewEndpointDialogProps) {
  const [settings, setSettings] = useState<Settings>({ url: '', description: '', types: '*' })
  const add = useAction(async () => {
    const { url, description, types } = settings
    const { secret } = await call('webhook.create', { body: { url, description, event_types: typesOf(types) } })
    onAdded(secret)
  })
  return (
    <FormDialog title="Add an endpoint" onClose={onClose} action={add} submit="Add" isReady={settings.url !== ''}>
      <Fields settings={settings} onChange={setSettings} problem={add.problem} />
      <Command words={['svc', 'webhook', 'create', settings.url || 'URL']} />
    </FormDialog>
  )
}

interface EditEndpointDialogProps {
  readonly endpoint: Answer<'webhook.get'>
  readonly onClose: () => void
  readonly onChanged: (endpoint: Answer<'webhook.get'>) => void
}

export function EditEndpointDialog({ endpoint, onClose, onChanged }: EditEndpointDialogProps) {
  const { url, description, event_types } = endpoint
  const [settings, setSettings] = useState<Settings>({ url, description, types: event_types.join(', ') })
  const change = useAction(async () => {
    onChanged(
      await call('webhook.update', {
        params: { endpoint_id: endpoint.endpoint_id },
        body: { url: settings.url, description: settings.description, event_types: typesOf(settings.types) },
      }),
    )
  })
  return (
    <FormDialog title="Change the endpoint" onClose={onClose} action={change} submit="Save">
      <Fields settings={settings} onChange={setSettings} problem={change.problem} />
    </FormDialog>
  )
}

interface FieldsProps {
  readonly settings: Settings
  readonly onChange: (settings: Settings) => void
  readonly problem: Problem | null
}

function Fields({ settings, onChange, problem }: FieldsProps) {
  return (
    <>
      <TextField
        label="Address"
        type="url"
        value={settings.url}
        onInput={url => onChange({ ...settings, url })}
        isRequired
        autoFocus
        placeholder="https://example.com/webhooks"
        problem={problemWith(problem, 'url')}
      />
      <TextField
        label="Description"
        value={settings.description}
        onInput={description => onChange({ ...settings, description })}
        problem={problemWith(problem, 'description')}
      />
      <TypeField
        label="Event types"
        value={settings.types}
        onInput={types => onChange({ ...settings, types })}
        hint="Types or patterns, separated by commas. * stands for any characters, and * alone for all types."
        problem={problem?.fields.find(each => each.field.startsWith('event_types'))?.message ?? null}
      />
      <ProblemNote problem={problem} />
    </>
  )
}
