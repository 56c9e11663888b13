/** The frame around every page, with navigation, the signed-in user, the theme and sign-out. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { BASE } from '../api/base.ts'
import { signOut, useSession } from '../api/session.ts'
import { useAction, useCode } from '../api/use-call.ts'
import { isBelow, isVisible, isVisibleAt, NAVIGATION } from '../pages/navigation.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Empty, ProblemNote } from '../parts/states.tsx'
import { TimeZoneChoice } from '../parts/time-zone.tsx'
import { MenuButton } from './menu/menu-button.tsx'
import { rememberVisit } from './menu/recent.ts'
import { chooseTheme, storedTheme, type Theme } from './theme.ts'

export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { path } = useLocation()
  const [isOpen, setIsOpen] = useState(false)
  const main = useRef<HTMLElement>(null)
  const first = useRef(true)
  useEffect(() => {
    setIsOpen(false)
    rememberVisit(path.slice(BASE.length))
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
          <a class="shell-brand" href="/console">
            svc <small>console</small>
          </a>
          <MenuButton />
          <span class="shell-menu">
            <button type="button" class="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
              Menu
            </button>
          </span>
        </div>
        <nav class="shell-nav" aria-label="Pages">
          <ul>
            {NAVIGATION.filter(isVisible).map(({ href, title, icon }) => (
              <li key={href}>
                <a href={href} aria-current={isAt(path, href) ? 'page' : undefined}>
                  <Icon of={icon} />
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <SignedIn />
      </header>
      <main class="shell-main" id="main" tabIndex={-1} ref={main}>
        {isVisibleAt(path.slice(BASE.length)) ? children : <NotAllowed />}
      </main>
    </div>
  )
}

function isAt(path: string, href: string): boolean {
  const here = path.slice(BASE.length)
  return here === href || isBelow(here, href)
}

function SignedIn() {
  const session = useSession()
  const { label, is_operator: isOperator } = session.key
  const [asks, setAsks] = useState(false)
  const [listsPasskeys, setListsPasskeys] = useState(false)
  const passkeys = useCode(listsPasskeys ? 'passkeys' : null, () => import('./passkeys.tsx'))
  return (
    <div class="shell-foot">
      <TimeZoneChoice />
      <ThemeChoice />
      <div>
        <strong>{session.team.name}</strong>
        <br />
        Signed in {session.person ? 'as ' : label === null ? 'as owner' : 'with the key '}
        <bdi>{session.person?.name ?? label}</bdi> (
        {session.person?.role ?? (isOperator ? 'operator' : 'this team only')})
      </div>
      <div class="row">
        {session.person && (
          <Button isSmall opens="dialog" onClick={() => setListsPasskeys(true)}>
            Passkeys
          </Button>
        )}
        <Button isSmall onClick={() => setAsks(true)}>
          Sign out
        </Button>
      </div>
      <ProblemNote problem={passkeys.problem} />
      <div>svc {session.version}</div>
      {passkeys.data && <passkeys.data.Passkeys onClose={() => setListsPasskeys(false)} />}
      {asks && <SignOut onClose={() => setAsks(false)} />}
    </div>
  )
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
      <p>Signing out everywhere also ends your sessions in other browsers. A key itself stays valid.</p>
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

/** What is shown instead of a page that the session may not see. */
function NotAllowed() {
  const { person } = useSession()
  return (
    <Page title="Not available">
      <Card>
        {person === null ? (
          <Empty title="This part needs an operator's key">
            Your key is for one team, and this part concerns the whole store. Create a key with{' '}
            <code>svc engine key create --operator</code> and sign in with it.
          </Empty>
        ) : (
          <Empty title="Your role does not allow this page">
            Your role is {person.role}. An owner can change it with <code>svc engine person set</code>.
          </Empty>
        )}
      </Card>
    </Page>
  )
}
