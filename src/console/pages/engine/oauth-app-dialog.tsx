/** The dialog that sets up a live provider with the team's OAuth app. */
import { call } from '../../api/call.ts'
import { useLoad } from '../../api/use-call.ts'
import { type DialogProps, FormDialog, useForm } from '../../parts/form.tsx'
import { Command } from '../../parts/small.tsx'
import { useToast } from '../../parts/toasts.tsx'

const NEW = { provider: '', client_id: '', client_secret: '', redirect_url: '', scopes: '', keep_raw: false }

export function OAuthAppDialog({ onClose, onDone }: DialogProps) {
  const toast = useToast()
  const providers = useLoad('provider.list', {})
  const form = useForm(NEW, async ({ provider, redirect_url, scopes, ...rest }) => {
    const names = scopes.split(/[\s,]+/).filter(Boolean)
    await call('provider.setup', {
      params: { provider },
      body: { ...rest, redirect_url: redirect_url || null, scopes: names.length === 0 ? null : names },
    })
    toast({ text: `${provider} is live now.` })
    onDone()
  })
  const { provider, client_id, client_secret } = form.values
  return (
    <FormDialog
      title="Set up a provider"
      submit="Set up"
      isReady={provider !== '' && client_id !== '' && client_secret !== ''}
      onClose={onClose}
      form={form}
      fields={[
        {
          name: 'provider',
          label: 'Provider',
          isRequired: true,
          suggestions: providers.data
            ?.filter(each => each.auth_type === 'oauth')
            .map(({ slug, name }) => ({ value: slug, label: name })),
        },
        { name: 'client_id', label: 'Client ID', isRequired: true },
        {
          name: 'client_secret',
          label: 'Client secret',
          type: 'password',
          isRequired: true,
          hint: 'Stored encrypted, and never shown again',
        },
        {
          name: 'redirect_url',
          label: 'Redirect URL',
          type: 'url',
          hint: 'As registered at the provider. Leave it empty for the callback of this server.',
        },
        { name: 'scopes', label: 'Scopes', hint: 'Separated by spaces. Leave it empty for all known scopes.' },
        {
          name: 'keep_raw',
          type: 'check',
          label: "Keep the provider's raw responses",
          hint: 'For debugging. They are stored encrypted for a limited time, and purged with the user.',
        },
      ]}
      foot={
        <Command
          words={['svc', 'provider', 'setup', provider || 'PROVIDER']}
          flags={{ '--client-id': client_id || 'ID', '--client-secret-stdin': true }}
        />
      }
    />
  )
}
