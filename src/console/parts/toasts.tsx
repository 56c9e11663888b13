/** Short messages about the last action, with an optional button to undo it. */
import { Undo2, X } from 'lucide'
import { type ComponentChildren, createContext } from 'preact'
import { useCallback, useContext, useMemo, useRef, useState } from 'preact/hooks'
import { Button } from './button.tsx'

export interface Toast {
  readonly text: string
  readonly undo?: () => void
}

/** Time for which a message is shown. A message about an action that can be undone is shown longer. */
const STAYS_MS = 6_000
const UNDO_STAYS_MS = 15_000

interface ShownToast extends Toast {
  readonly id: number
}

const ToastContext = createContext<(toast: Toast) => void>(() => {})

/** Returns the function that shows a message. */
export function useToast(): (toast: Toast) => void {
  return useContext(ToastContext)
}

export function Toasts({ children }: { readonly children: ComponentChildren }) {
  const [shown, setShown] = useState<readonly ShownToast[]>([])
  const next = useRef(0)
  const drop = useCallback((id: number) => setShown(before => before.filter(each => each.id !== id)), [])
  const show = useCallback(
    (toast: Toast) => {
      const id = next.current++
      setShown(before => [...before.slice(-3), { ...toast, id }])
      setTimeout(() => drop(id), toast.undo ? UNDO_STAYS_MS : STAYS_MS)
    },
    [drop],
  )
  const list = useMemo(
    () =>
      shown.map(toast => (
        <div class="toast" key={toast.id}>
          <span>{toast.text}</span>
          <span class="row">
            {toast.undo && (
              <Button
                kind="quiet"
                isSmall
                icon={Undo2}
                onClick={() => {
                  toast.undo?.()
                  drop(toast.id)
                }}
              >
                Undo
              </Button>
            )}
            <Button kind="quiet" isSmall icon={X} label={`Dismiss: ${toast.text}`} onClick={() => drop(toast.id)} />
          </span>
        </div>
      )),
    [shown, drop],
  )
  return (
    <ToastContext.Provider value={show}>
      {children}
      <div class="toasts" role="status" aria-live="polite">
        {list}
      </div>
    </ToastContext.Provider>
  )
}
