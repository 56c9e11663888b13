/** Sets up a live provider with the team's registration there. */
import { useState } from 'preact/hooks'
import { call } from '../../api/call.ts'
import { useAction, useLoad } from '../../api/use-call.ts'
import { CheckField, problemWith, TextField } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Command } from '../../parts/small.tsx'
import { ProblemNote } from '../../parts/states.tsx'
import { useToast } from '../../parts/toasts.tsx'

interface SetupDialogProps {
  readonly onClose: () => void
  readonly onDone: () => void
}

export function SetupDialog({ onClose, onDone }: SetupDialogProps) {
  const toast = useToast()
  const [provider, setProvider] = useState('')
  const [clientId, setClientId] = useState('')
  const [secret, setSecret] = useState('')
  const [redirect, setRedirect] = useState('')
  const [scopes, setScopes] = useState('')
  const [keepRaw, setKeepRaw] = useState(false)
  const setup = useAction(async () => {
    const names = scopes.split(/[\s,]+/).filter(Boolean)
    await call('provider.setup', {
      params: { provider },
      body: {
        client_id: clientId,
        client_secret: secret,
        redirect_url: redirect || null,
        scopes: names.length === 0 ? null : names,
        keep_raw: keepRaw,
      },
    })
    toast({ text: `${provider} is live now.` })
    onDone()
  })
  const { problem } = setup
  return (
    <FormDialog
      title="Set up a provider"
      onClose={onClose}
      action={setup}
      submit="Set up"
      isReady={provider !== '' && clientId !== '' && secret !== ''}
    >
      <ProviderField value={provider} onInput={setProvider} />
      <TextField
        label="Client ID"
        value={clientId}
        onInput={setClientId}
        isRequired
        problem={problemWith(problem, 'client_id')}
      />
      <TextField
        label="Client secret"
        type="password"
        value={secret}
        onInput={setSecret}
        isRequired
        hint="Stored encrypted, and never shown again"
        problem={problemWith(problem, 'client_secret')}
      />
      <TextField
        label="Redirect URL"
        type="url"
        value={redirect}
        onInput={setRedirect}
        hint="As registered at the provider. Leave it empty for the callback of this server."
        problem={problemWith(problem, 'redirect_url')}
      />
      <TextField
        label="Scopes"
        value={scopes}
        onInput={setScopes}
        hint="Separated by spaces. Leave it empty for all known scopes."
        problem={problemWith(problem, 'scopes')}
      />
      <CheckField
        label="Keep raw answers of the provider"
        isChecked={keepRaw}
        onChange={setKeepRaw}
        hint="For debugging. They are stored encrypted for a limited time, and purged with the user."
      />
      <ProblemNote problem={problem} />
      <Command
        words={[
          'svc',
          'provider',
          'setup',
          provider || 'PROVIDER',
          '--client-id',
          clientId || 'ID',
          '--client-secret-stdin',
        ]}
      />
    </FormDialog>
  )
}

interface ProviderFieldProps {
  readonly value: string
  readonly onInput: (value: string) => void
}

function ProviderField(props: ProviderFieldProps) {
  const providers = useLoad('provider.list', {})
  return (
    <TextField
      label="Provider"
      {...props}
      isRequired
      suggestions={providers.data
        ?.filter(each => each.auth_type === 'oauth')
        .map(({ slug, name }) => ({ value: slug, label: name }))}
    />
  )
}
