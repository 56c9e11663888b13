/** The command menu: a dialog with a combobox that opens pages and items, and runs actions. */
import { useEffect, useId, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { BASE } from '../../api/base.ts'
import { withUser } from '../../api/chosen-user.ts'
import { readStored, store } from '../../api/stored.ts'
import { useAction } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { useModal } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Name } from '../../parts/small.tsx'
import { ProblemNote } from '../../parts/states.tsx'
import { type Entry, useEntries } from './entries.ts'
import { remember, SLASH_IS_OFF } from './recent.ts'

/** Maximum length of a client_user_id. */
const MOST_CHARACTERS = 512

export function CommandMenu({ onClose }: { readonly onClose: () => void }) {
  const id = useId()
  const modal = useModal(onClose)
  const { route } = useLocation()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const { groups, state, problem } = useEntries(text.trim())
  const entries = groups.flatMap(group => group.entries)
  const choose = useAction(async (entry: Entry) => {
    await entry.run?.()
    remember(entry.key)
    onClose()
    if (!entry.run) route(`${BASE}${withUser(entry.key)}`)
  })
  useEffect(() => document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' }), [at])
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const entry = entries[at]
    if (step !== undefined) setAt((at + step + entries.length) % Math.max(1, entries.length))
    else if (event.key === 'Enter' && !event.isComposing && entry) choose.run(entry)
    else return
    event.preventDefault()
  }
  return (
    <dialog {...modal} class="dialog menu" aria-label="Go to a page, or run an action">
      <div class="menu-head">
        <input
          class="input"
          role="combobox"
          aria-label="Page, user, ID or action"
          aria-expanded={entries.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={entries[at] ? `${id}-${at}` : undefined}
          autocomplete="off"
          placeholder="Page, user, ID or action"
          maxLength={MOST_CHARACTERS}
          value={text}
          onInput={event => {
            setText(event.currentTarget.value)
            setAt(0)
          }}
          onKeyDown={onKey}
        />
        <Button kind="quiet" isSmall onClick={onClose}>
          Close
        </Button>
      </div>
      <ProblemNote problem={choose.problem ?? problem} />
      {entries.length > 0 && (
        <div class="menu-list" id={`${id}-list`} role="listbox" aria-label="Results" tabIndex={-1}>
          {groups.map(group => (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields
            <div key={group.title} role="group" aria-label={group.title}>
              <div class="menu-title" aria-hidden="true">
                {group.title}
              </div>
              {group.entries.map(entry => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus, and its keys choose
                <div
                  key={entry.key}
                  id={`${id}-${entries.indexOf(entry)}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={entries[at] === entry}
                  // otherwise, the field would lose the focus
                  onMouseDown={event => event.preventDefault()}
                  onClick={() => choose.run(entry)}
                >
                  <Name>{entry.title}</Name>
                  <small>{entry.detail}</small>
                </div>
              ))}
            </div>
          ))}
        </div>
      )}
      <p class={entries.length > 0 ? 'visually-hidden' : 'menu-none'} role="status">
        {state}
      </p>
      <SlashChoice />
    </dialog>
  )
}

function SlashChoice() {
  const [isOn, setIsOn] = useState(() => readStored(SLASH_IS_OFF) === null)
  const change = (next: boolean): void => {
    setIsOn(next)
    store(SLASH_IS_OFF, next ? null : '1')
  }
  return (
    <div class="menu-foot">
      <Field label="Open this menu with / as well" type="check" value={isOn} onChange={change} />
    </div>
  )
}
