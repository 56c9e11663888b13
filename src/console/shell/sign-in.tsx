/** The page for people who are not signed in. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { signInWithPasskey, whyNoPasskeys } from '../api/passkeys.ts'
import { type EndReason, type Session, signIn } from '../api/session.ts'
import { useAction } from '../api/use-call.ts'
import { Button } from '../parts/button.tsx'
import { FormView, useForm } from '../parts/form.tsx'
import { ProblemNote } from '../parts/states.tsx'
import { forgetRecent } from './menu/recent.ts'

interface SignInProps {
  readonly onSignedIn: (session: Session) => void
  /** Reason why the page's session ended; null if there was no session. */
  readonly ended: EndReason | null
}

export function SignIn({ onSignedIn, ended }: SignInProps) {
  const page = useRef<HTMLElement>(null)
  // a message about the last session would contradict the result of the attempt
  const [hasTried, setHasTried] = useState(false)
  const form = useForm({ api_key: '' }, async ({ api_key }) => {
    setHasTried(true)
    onSignedIn(await signIn(api_key.trim()))
  })
  const why = whyNoPasskeys()
  const passkey = useAction(async () => {
    setHasTried(true)
    onSignedIn(await signInWithPasskey())
  })
  // before the page is drawn, because people leave once they read that they have signed out
  useLayoutEffect(() => {
    document.title = 'Sign in · svc'
    forgetRecent()
    page.current?.querySelector('input')?.focus()
  }, [])
  return (
    <main class="sign-in" ref={page}>
      <h1>Sign in to svc</h1>
      {ended !== null && !hasTried && (
        <div class="note" role="status">
          {ended === 'ended'
            ? 'Your session has ended. Sign in again to continue on this page.'
            : 'You have signed out.'}
        </div>
      )}
      <FormView
        form={form}
        submit="Sign in"
        kind="primary"
        isReady={form.values.api_key.trim() !== ''}
        fields={[
          {
            name: 'api_key',
            label: 'API key',
            type: 'password',
            isRequired: true,
            hint: 'The console has the rights of this key. The key is sent once and is not stored in the browser.',
          },
        ]}
      />
      {why === null ? (
        <Button isBusy={passkey.isRunning} onClick={passkey.run}>
          Sign in with a passkey
        </Button>
      ) : (
        <p class="soft">{why}</p>
      )}
      <ProblemNote problem={passkey.problem} />
      <p class="soft">
        On a terminal, <code>svc open</code> signs you in without a key.
      </p>
    </main>
  )
}
