/** The page for people who are not signed in. */
import { useEffect, useState } from 'preact/hooks'
import { type Session, signIn } from '../api/session.ts'
import { useAction } from '../api/use-call.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { ProblemNote } from '../parts/states.tsx'

interface SignInProps {
  readonly onSignedIn: (session: Session) => void
  /** Whether the page had a session, which has ended. */
  readonly hasEnded: boolean
}

export function SignIn({ onSignedIn, hasEnded }: SignInProps) {
  const [key, setKey] = useState('')
  const attempt = useAction(async () => onSignedIn(await signIn(key.trim())))
  useEffect(() => {
    document.title = 'Sign in · svc'
  }, [])
  return (
    <main class="sign-in">
      <h1>Sign in to svc</h1>
      {hasEnded && (
        <div class="note" role="status">
          Your session has ended. Sign in again to continue on this page.
        </div>
      )}
      <ProblemNote problem={attempt.problem} />
      <form
        class="stack"
        onSubmit={event => {
          event.preventDefault()
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
