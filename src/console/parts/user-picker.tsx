/** A field that finds a user by part of their client_user_id, or by user_id. */
import { useEffect, useId, useState } from 'preact/hooks'
import { call, type ResponseOf } from '../api/call.ts'
import { useLoad } from '../api/use-call.ts'
import { FieldFrame, type FieldTexts } from './field-frame.tsx'

export type User = ResponseOf<'user.get'>

interface UserPickerProps extends Partial<FieldTexts> {
  readonly userId: string | null
  readonly onPick: (user: User) => void
}

/** Delay after typing before the search starts. */
const PAUSE_MS = 150
/** Minimum length of a search text. If there is no text, the newest users are suggested. */
export const LEAST_SEARCHED = 2
const MOST_OFFERED = 20

export function UserPicker({ userId, onPick, label = 'User', hint, problem }: UserPickerProps) {
  const id = useId()
  const chosen = useLoad('user.get', userId === null ? null : { params: { user_id: userId } })
  const [text, setText] = useState<string | null>(null)
  const [found, setFound] = useState<FoundUsers | null>(null)
  const offered = found?.users ?? []
  const [at, setAt] = useState(0)
  const isOpen = text !== null
  const isMissing = !isOpen && chosen.problem?.isMissing === true
  useEffect(() => {
    if (text === null) return
    const controller = new AbortController()
    const search = text.trim()
    if (search !== '' && search.length < LEAST_SEARCHED) {
      setFound({ text, users: [], hasFailed: false })
      return
    }
    const timer = setTimeout(() => {
      const request =
        search === ''
          ? call('user.list', { query: { limit: MOST_OFFERED } }, controller).then(page => page.users)
          : call('user.search', { query: { query_id: search } }, controller)
      request.then(
        users => {
          setFound({ text, users: users.slice(0, MOST_OFFERED), hasFailed: false })
          setAt(0)
        },
        () => {
          if (!controller.signal.aborted) setFound({ text, users: [], hasFailed: true })
        },
      )
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [text])
  const pick = (user: User): void => {
    setText(null)
    setFound(null)
    onPick(user)
  }
  return (
    <FieldFrame
      label={label}
      hint={hint}
      problem={isMissing ? 'There is no user at this URL. Choose one.' : problem}
      class="field picker"
    >
      {control => (
        <>
          <input
            {...control}
            class="input"
            role="combobox"
            aria-expanded={isOpen}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-activedescendant={isOpen && offered[at] ? `${id}-${at}` : undefined}
            autocomplete="off"
            placeholder="Search by client_user_id"
            value={text ?? chosen.data?.client_user_id ?? ''}
            onFocus={event => event.currentTarget.select()}
            onClick={() => isOpen || setText('')}
            onInput={event => setText(event.currentTarget.value)}
            onBlur={() => setText(null)}
            onKeyDown={event => {
              if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
                event.preventDefault()
                if (!isOpen) setText('')
                const step = event.key === 'ArrowDown' ? 1 : -1
                setAt(Math.max(0, Math.min(offered.length - 1, at + step)))
              }
              if (event.key === 'Enter' && isOpen) {
                event.preventDefault()
                const user = offered[at]
                // if the list is for an earlier text, Enter would choose the wrong user
                if (user && found?.text === text) pick(user)
              }
              if (event.key === 'Escape' && isOpen) {
                // closes only the list, not the dialog around it
                event.preventDefault()
                setText(null)
              }
            }}
          />
          {isOpen && (
            <div class="picker-list" id={`${id}-list`} role="listbox" aria-label="Users" tabIndex={-1}>
              {offered.map((user, index) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus, and its keys choose
                <div
                  key={user.user_id}
                  id={`${id}-${index}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === at}
                  // otherwise, the field would lose the focus and the list would close before the click
                  onMouseDown={event => event.preventDefault()}
                  onClick={() => pick(user)}
                >
                  <span class="picker-name">{user.client_user_id}</span>
                  <small>{user.user_id}</small>
                </div>
              ))}
              {offered.length === 0 && (
                <div role="option" aria-selected="false" aria-disabled="true" class="soft" tabIndex={-1}>
                  {wordsFor(found)}
                </div>
              )}
            </div>
          )}
        </>
      )}
    </FieldFrame>
  )
}

/** Search results for a text. */
interface FoundUsers {
  readonly text: string
  readonly users: readonly User[]
  readonly hasFailed: boolean
}

/** Returns the message for an empty list; null means that the search is still running. */
function wordsFor(found: FoundUsers | null): string {
  if (found === null) return 'Searching'
  if (found.hasFailed) return 'The search failed. Type again to retry.'
  const search = found.text.trim()
  if (search === '') return 'There are no users yet'
  return search.length < LEAST_SEARCHED ? 'Type one more character to search' : 'No user matches'
}
