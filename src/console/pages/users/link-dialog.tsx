/** The dialog that links a provider, on the hosted link page or as a demo connection. */
import { useEffect, useState } from 'preact/hooks'
import { withoutEmpty } from '../../api/body.ts'
import { call, type Input } from '../../api/call.ts'
import { useChoices } from '../../api/choices.ts'
import { useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { type DialogProps, FormDialog, useForm } from '../../parts/form.tsx'
import { Command, CopyButton } from '../../parts/small.tsx'
import { ProblemNote } from '../../parts/states.tsx'
import { useToast } from '../../parts/toasts.tsx'

type DemoProvider = NonNullable<Input<'link.demo'>['body']>['provider']

interface LinkDialogProps extends DialogProps {
  readonly userId: string
  /** Called when the link page may have created a connection. The dialog stays open. */
  readonly onLinked: () => void
}

export function LinkDialog({ userId, onClose, onLinked, onDone }: LinkDialogProps) {
  const toast = useToast()
  const [url, setUrl] = useState<string | null>(null)
  const providers = useLoad('provider.list', { query: {} })
  const demos = useChoices('link.demo')('provider')
  const nameOf = (slug: string): string => providers.data?.find(each => each.slug === slug)?.name ?? slug
  const form = useForm({ kind: 'page', provider: '' }, async () => {
    if (isDemo) {
      await call('link.demo', { body: { user_id: userId, provider: provider as DemoProvider } }) // the options are values from the server
      toast({ text: `Connected ${nameOf(provider)} with synthetic data` })
      onDone()
    } else setUrl((await call('link.token', { body: { user_id: userId, ...withoutEmpty({ provider }) } })).link_web_url)
  })
  const isDemo = form.values.kind === 'demo'
  // the other kind may not support this provider
  const offered = isDemo ? demos : ['', ...(providers.data ?? []).map(({ slug }) => slug)]
  const provider = offered.find(slug => slug === form.values.provider) ?? offered[0] ?? ''
  useEffect(() => {
    if (url === null) return
    addEventListener('focus', onLinked)
    return () => removeEventListener('focus', onLinked)
  }, [url, onLinked])
  if (url !== null) return <LinkPage url={url} onClose={onClose} onDone={onDone} />
  return (
    <FormDialog
      title="Link a provider"
      submit={isDemo ? 'Connect' : 'Create the link page'}
      isReady={!isDemo || provider !== ''}
      onClose={onClose}
      form={{ ...form, values: { ...form.values, provider } }}
      fields={[
        {
          name: 'kind',
          label: 'How',
          options: [
            { value: 'page', label: 'Link page, where the user signs in' },
            { value: 'demo', label: 'Demo connection with synthetic data, for a limited time' },
          ],
        },
        {
          name: 'provider',
          label: 'Provider',
          options: isDemo
            ? demos.map(value => ({ value, label: nameOf(value) }))
            : [
                { value: '', label: 'The user chooses' },
                ...(providers.data ?? []).map(({ slug, name, mode }) => ({
                  value: slug,
                  label: mode === 'live' ? `${name} (live)` : name,
                })),
              ],
        },
      ]}
      foot={
        <>
          <ProblemNote problem={providers.problem} onRetry={providers.reload} />
          {isDemo ? (
            <Command words={['svc', 'link', 'demo', userId, provider]} />
          ) : (
            <Command words={['svc', 'link', 'token', userId]} flags={{ '--provider': provider }} />
          )}
        </>
      }
    />
  )
}

function LinkPage({ url, onClose, onDone }: DialogProps & { readonly url: string }) {
  return (
    <Dialog title="Link a provider" onClose={onClose} actions={<Button onClick={onDone}>Done</Button>}>
      <p>Open the link page, or send its URL to the user. It works once, and only for a limited time.</p>
      <p class="row">
        <a class="button button-primary" href={url} target="_blank" rel="noopener noreferrer">
          Open the link page
        </a>
        <CopyButton text={url}>Copy the URL</CopyButton>
      </p>
      <code class="soft">{url}</code>
    </Dialog>
  )
}
