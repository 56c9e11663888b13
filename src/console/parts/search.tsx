/** A search field whose search starts when the user stops typing. */
import { useEffect, useState } from 'preact/hooks'
import { Field } from './field.tsx'

interface SearchProps {
  readonly label?: string
  readonly placeholder: string
  /** The current search text. The field is updated if it changes elsewhere. */
  readonly value: string
  readonly onSearch: (text: string) => void
  /** Minimum number of characters to search for. */
  readonly least?: number
}

/** Delay after typing before the search starts. */
const PAUSE_MS = 200

export function Search({ label = 'Search', placeholder, value, onSearch, least = 1 }: SearchProps) {
  const [text, setText] = useState(value)
  const trimmed = text.trim()
  useEffect(() => setText(before => (before.trim() === value ? before : value)), [value])
  useEffect(() => {
    if (trimmed === value) return
    const timer = setTimeout(() => onSearch(trimmed), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [trimmed])
  const isShort = trimmed !== '' && trimmed.length < least
  return (
    <search class="search">
      <Field
        label={label}
        type="search"
        placeholder={placeholder}
        value={text}
        onChange={setText}
        hint={isShort ? `Type at least ${least} characters.` : undefined}
      />
    </search>
  )
}
