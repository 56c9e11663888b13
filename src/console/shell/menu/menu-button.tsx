/** The button that opens the command menu, and its keys. The menu's code is loaded when it is first opened. */
import { useEffect, useState } from 'preact/hooks'
import { readStored } from '../../api/stored.ts'
import { useCode } from '../../api/use-call.ts'
import { ProblemNote } from '../../parts/states.tsx'
import { SLASH_IS_OFF } from './recent.ts'

/** Whether shortcuts use ⌘ instead of Ctrl. */
export const IS_MAC = /Mac|iP(hone|ad|od)/.test(navigator.platform)
/** Elements in which `/` is a character to type. */
const TYPING = 'input, select, textarea, [contenteditable]'

export function MenuButton() {
  const [isOpen, setIsOpen] = useState(false)
  const code = useCode(isOpen ? 'menu' : null, () => import('./command-menu.tsx'))
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.isComposing || !(isCommand(event) || isSlash(event))) return
      event.preventDefault()
      // the form in another dialog would be lost
      if (document.querySelector('dialog[open]') === null) setIsOpen(true)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <div class="menu-button">
      <button
        type="button"
        class="button"
        aria-haspopup="dialog"
        aria-keyshortcuts={IS_MAC ? 'Meta+K' : 'Control+K'}
        onClick={() => setIsOpen(true)}
      >
        Go to… <kbd>{IS_MAC ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <ProblemNote problem={code.problem} onRetry={code.reload} />
      {isOpen && code.data && <code.data.CommandMenu onClose={() => setIsOpen(false)} />}
    </div>
  )
}

function isCommand({ key, metaKey, ctrlKey, shiftKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && (IS_MAC ? metaKey : ctrlKey) && !shiftKey
}

/** Whether the key is `/` outside of fields. WCAG requires that a key without a modifier can be turned off. */
function isSlash({ key, metaKey, ctrlKey, target }: KeyboardEvent): boolean {
  const isTyping = target instanceof Element && target.closest(TYPING) !== null
  return key === '/' && !metaKey && !ctrlKey && !isTyping && readStored(SLASH_IS_OFF) === null
}
