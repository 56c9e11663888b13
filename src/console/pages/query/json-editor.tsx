/** The editor for a query's JSON. Its code is loaded when it is first shown. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Skeleton } from '../../parts/states.tsx'
import type { Editor } from './editor.ts'
import type { Words } from './query-model.ts'

interface JsonEditorProps {
  readonly text: string
  /**
   * Changes when the text is changed outside the editor. Text that the editor itself reported is not sent back, because the editor may have
   * newer text by then.
   */
  readonly version: number
  readonly words: Words
  readonly onChange: (text: string) => void
}

export function JsonEditor({ text, version, words, onChange }: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<Editor | null>(null)
  const latest = useRef({ text, onChange })
  latest.current = { text, onChange }
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    let isGone = false
    import('./editor.ts').then(({ openEditor }) => {
      if (isGone || host.current === null) return
      editor.current = openEditor({
        host: host.current,
        text: latest.current.text,
        words,
        onChange: changed => latest.current.onChange(changed),
      })
      setIsOpen(true)
    })
    return () => {
      isGone = true
      editor.current?.destroy()
      editor.current = null
    }
  }, [words])
  useEffect(() => editor.current?.setText(latest.current.text), [version])
  return (
    <div class="json-editor">
      {!isOpen && <Skeleton lines={8} />}
      <div ref={host} />
    </div>
  )
}
