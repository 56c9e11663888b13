/** The page for people who are not signed in. */
import { useEffect, useState } from 'preact/hooks'
import { type EndReason, type Session, signIn } from '../api/session.ts'
import { useAction } from '../api/use-call.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { ProblemNote } from '../parts/states.tsx'

interface SignInProps {
  readonly onSignedIn: (session: Session) => void
  /** Why the session of the page is over; null: it had none. */
  readonly ended: EndReason | null
}

export function SignIn({ onSignedIn, ended }: SignInProps) {
  const [key, setKey] = useState('')
  // news of the last session would contradict what the attempt says
  const [hasTried, setHasTried] = useState(false)
  const attempt = useAction(async () => onSignedIn(await signIn(key.trim())))
  useEffect(() => {
    document.title = 'Sign in · svc'
  }, [])
  return (
    <main class="sign-in">
      <h1>Sign in to svc</h1>
      {ended !== null && !hasTried && (
        <div class="note" role="status">
          {ended === 'ended'
            ? 'Your session has ended. Sign in again to continue on this page.'
            : 'You have signed out.'}
        </div>
      )}
      <ProblemNote problem={attempt.problem} />
      <form
        class="stack"
        onSubmit={event => {
          event.preventDefault()
          setHasTried(true)
          attempt.run()
        }}
      >
        <TextField
          label="API key"
          type="password"
          value={key}
          onInput={setKey}
          isRequired
          autoFocus
          hint="The console has the rights of this key. The key is sent once and is not stored in the browser."
        />
        <div>
          <Button kind="primary" type="submit" isBusy={attempt.isRunning} disabled={key.trim() === ''}>
            Sign in
          </Button>
        </div>
      </form>
      <p class="soft">
        On a terminal, <code>svc open</code> signs you in without a key.
      </p>
    </main>
  )
}
