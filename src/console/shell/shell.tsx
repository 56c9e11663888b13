/** The frame around every page, with navigation, the signed-in user, the theme and sign-out. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { BASE } from '../api/base.ts'
import { signOut, useSession } from '../api/session.ts'
import { useAction } from '../api/use-call.ts'
import { NAVIGATION } from '../pages/pages.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { ProblemNote } from '../parts/states.tsx'
import { chooseTheme, storedTheme, type Theme } from './theme.ts'

export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { path } = useLocation()
  const [isOpen, setIsOpen] = useState(false)
  const main = useRef<HTMLElement>(null)
  const first = useRef(true)
  useEffect(() => {
    setIsOpen(false)
    // moves the focus so that a screen reader announces the new page; the first page leaves the focus where the browser put it
    if (first.current) first.current = false
    else main.current?.focus()
  }, [path])
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="shell-side" {...(isOpen ? { 'data-open': '' } : {})}>
        <div class="shell-top">
          <a class="shell-brand" href="/console/users">
            svc <small>console</small>
          </a>
          <span class="shell-menu">
            <button type="button" class="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
              Menu
            </button>
          </span>
        </div>
        <nav class="shell-nav" aria-label="Pages">
          <ul>
            {NAVIGATION.map(({ href, title }) => (
              <li key={href}>
                <a href={href} aria-current={isAt(path, href) ? 'page' : undefined}>
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <SignedIn />
      </header>
      <main class="shell-main" id="main" tabIndex={-1} ref={main}>
        {children}
      </main>
    </div>
  )
}

function isAt(path: string, href: string): boolean {
  const here = path.slice(BASE.length)
  return here === href || here.startsWith(`${href}/`)
}

function SignedIn() {
  const session = useSession()
  const [asks, setAsks] = useState(false)
  return (
    <div class="shell-foot">
      <ThemeChoice />
      <div>
        <strong>{session.team.name}</strong>
        <br />
        Signed in as {session.key.label}
        {session.key.is_operator ? ' (operator)' : ''}
      </div>
      <div>
        <Button isSmall onClick={() => setAsks(true)}>
          Sign out
        </Button>
      </div>
      <div>
        Times in {zoneName()}
        <br />
        svc {session.version}
      </div>
      {asks && <SignOut onClose={() => setAsks(false)} />}
    </div>
  )
}

/** Returns the browser's time zone, which pages use for times unless they state otherwise. */
function zoneName(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone.replaceAll('_', ' ')
}

function SignOut({ onClose }: { readonly onClose: () => void }) {
  const here = useAction(() => signOut(false))
  const everywhere = useAction(() => signOut(true))
  return (
    <Dialog
      title="Sign out"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button isBusy={everywhere.isRunning} onClick={everywhere.run}>
            Sign out everywhere
          </Button>
          <Button kind="primary" isBusy={here.isRunning} onClick={here.run}>
            Sign out here
          </Button>
        </>
      }
    >
      <p>Signing out everywhere also ends the sessions of this key in other browsers. The key itself stays valid.</p>
      <ProblemNote problem={here.problem ?? everywhere.problem} />
    </Dialog>
  )
}

const THEMES = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

function ThemeChoice() {
  const [theme, setTheme] = useState<Theme>(storedTheme)
  const choose = (chosen: Theme): void => {
    setTheme(chosen)
    chooseTheme(chosen)
  }
  return <Field label="Theme" value={theme} onChange={choose} options={THEMES} />
}
