/** Chooses a user by part of their client_user_id, or by user_id. */
import { useEffect, useId, useState } from 'preact/hooks'
import { type Answer, call } from '../api/call.ts'
import { useLoad } from '../api/use-call.ts'

export type User = Answer<'user.get'>

interface UserPickerProps {
  readonly userId: string | null
  readonly onPick: (user: User) => void
}

/** Time without typing after which the search starts. */
const PAUSE_MS = 150
/** The search takes texts of at least two characters; before that, the newest users are offered. */
export const LEAST_SEARCHED = 2
const MOST_OFFERED = 20

export function UserPicker({ userId, onPick }: UserPickerProps) {
  const id = useId()
  const chosen = useLoad('user.get', userId === null ? null : { params: { user_id: userId } })
  const [text, setText] = useState<string | null>(null)
  const [offered, setOffered] = useState<readonly User[]>([])
  const [at, setAt] = useState(0)
  const isOpen = text !== null
  useEffect(() => {
    if (text === null) return
    const controller = new AbortController()
    const search = text.trim()
    const timer = setTimeout(() => {
      const found =
        search.length < LEAST_SEARCHED
          ? call('user.list', { query: { limit: MOST_OFFERED } }, controller).then(page => page.users)
          : call('user.search', { query: { query_id: search } }, controller)
      found.then(
        users => {
          setOffered(users.slice(0, MOST_OFFERED))
          setAt(0)
        },
        () => setOffered([]),
      )
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [text])
  const pick = (user: User): void => {
    setText(null)
    setOffered([])
    onPick(user)
  }
  return (
    <div class="field picker">
      <label for={id}>User</label>
      <input
        id={id}
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
        onInput={event => setText(event.currentTarget.value)}
        onBlur={() => setText(null)}
        onKeyDown={event => {
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault()
            if (!isOpen) setText('')
            const step = event.key === 'ArrowDown' ? 1 : -1
            setAt(Math.max(0, Math.min(offered.length - 1, at + step)))
          }
          const user = offered[at]
          if (event.key === 'Enter' && isOpen && user) {
            event.preventDefault()
            pick(user)
          }
          if (event.key === 'Escape') setText(null)
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
              // the field would lose the focus, and the list would close, before the click
              onMouseDown={event => event.preventDefault()}
              onClick={() => pick(user)}
            >
              {user.client_user_id}
              <small>{user.user_id}</small>
            </div>
          ))}
          {offered.length === 0 && (
            <div role="option" aria-selected="false" aria-disabled="true" class="soft" tabIndex={-1}>
              No user matches
            </div>
          )}
        </div>
      )}
    </div>
  )
}
