/** Links a provider: on the hosted link page, or as a demo connection. */
import { useEffect, useState } from 'preact/hooks'
import { call, type Input } from '../../api/call.ts'
import { useChoices } from '../../api/choices.ts'
import { useAction, useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { SelectField } from '../../parts/field.tsx'
import { Command, CopyButton } from '../../parts/small.tsx'
import { ProblemNote } from '../../parts/states.tsx'
import { useToast } from '../../parts/toasts.tsx'

type DemoProvider = NonNullable<Input<'link.demo'>['body']>['provider']

interface LinkDialogProps {
  readonly userId: string
  readonly onClose: () => void
  /** Called when the link page may have made a connection; the dialog stays open. */
  readonly onLinked: () => void
  /** Called when a connection was made. */
  readonly onDone: () => void
}

export function LinkDialog({ userId, onClose, onLinked, onDone }: LinkDialogProps) {
  const say = useToast()
  const [kind, setKind] = useState('page')
  const [provider, setProvider] = useState('')
  const [url, setUrl] = useState<string | null>(null)
  const providers = useLoad('provider.list', { query: {} })
  const demos = useChoices('link.demo', 'provider')
  const isDemo = kind === 'demo'
  const chosen = isDemo && provider === '' ? (demos[0] ?? '') : provider
  const nameOf = (slug: string): string => providers.data?.find(each => each.slug === slug)?.name ?? slug
  useEffect(() => {
    if (url === null) return
    addEventListener('focus', onLinked)
    return () => removeEventListener('focus', onLinked)
  }, [url, onLinked])
  const link = useAction(async () => {
    if (isDemo) {
      await call('link.demo', { body: { user_id: userId, provider: chosen as DemoProvider } }) // the server offers these values
      say({ text: `Connected ${nameOf(chosen)} with synthetic data` })
      onDone()
      return
    }
    const { link_web_url: address } = await call('link.token', {
      body: { user_id: userId, ...(chosen === '' ? {} : { provider: chosen }) },
    })
    setUrl(address)
  })
  return (
    <Dialog
      title="Link a provider"
      onClose={onClose}
      {...(url === null ? { onSubmit: link.run } : {})}
      actions={
        url === null ? (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button kind="primary" type="submit" isBusy={link.isRunning} disabled={isDemo && chosen === ''}>
              {isDemo ? 'Connect' : 'Create the link page'}
            </Button>
          </>
        ) : (
          <Button onClick={onDone}>Done</Button>
        )
      }
    >
      <ProblemNote problem={link.problem} />
      {url === null ? (
        <>
          <SelectField
            label="How"
            value={kind}
            onChange={value => {
              setKind(value)
              setProvider('')
            }}
            options={[
              { value: 'page', label: 'Link page, where the user signs in' },
              { value: 'demo', label: 'Demo connection with synthetic data, for a limited time' },
            ]}
          />
          <SelectField
            label="Provider"
            value={chosen}
            onChange={setProvider}
            options={
              isDemo
                ? demos.map(value => ({ value, label: nameOf(value) }))
                : [
                    { value: '', label: 'The user chooses' },
                    ...(providers.data ?? []).map(({ slug, name, mode }) => ({
                      value: slug,
                      label: mode === 'live' ? `${name} (live)` : name,
                    })),
                  ]
            }
          />
          <ProblemNote problem={providers.problem} onRetry={providers.reload} />
          <Command words={commandOf(userId, isDemo, chosen)} />
        </>
      ) : (
        <>
          <p>Open the link page, or send its address to the user. It works once, and only for a limited time.</p>
          <p class="row">
            <a class="button button-primary" href={url} target="_blank" rel="noopener noreferrer">
              Open the link page
            </a>
            <CopyButton text={url}>Copy the address</CopyButton>
          </p>
          <code class="users-url soft">{url}</code>
        </>
      )}
    </Dialog>
  )
}

function commandOf(userId: string, isDemo: boolean, provider: string): readonly string[] {
  if (isDemo) return ['svc', 'link', 'demo', userId, provider]
  return ['svc', 'link', 'token', userId, ...(provider === '' ? [] : ['--provider', provider])]
}
