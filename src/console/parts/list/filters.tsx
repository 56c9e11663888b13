/** A list's filters, which are shown as chips and kept in the URL, and its search field. */
import { Plus, X } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useChosenUser } from '../../api/chosen-user.ts'
import { useLoad } from '../../api/use-call.ts'
import { FIRST_PAGE, useUrlState } from '../../shell/url-state.ts'
import { Button } from '../button.tsx'
import { Field, type FieldSpec } from '../field.tsx'
import { Popup } from './popup.tsx'

export interface Filter extends FieldSpec {
  /** Parameter in the URL. */
  readonly name: string
}

interface FiltersProps {
  readonly filters: readonly Filter[]
  /** Content before the chips, such as a search field. */
  readonly children?: ComponentChildren
}

export function Filters({ filters, children }: FiltersProps) {
  const { query, change } = useUrlState()
  const user = useChosenUser()
  const all = filters.map(filter => ({ filter, value: (filter.type === 'user' ? user : query[filter.name]) ?? '' }))
  const none = Object.fromEntries(filters.map(({ name }) => [name, null]))
  return (
    <fieldset class="row filter-bar" aria-label="Filters">
      {children}
      {all.map(({ filter, value }) => (
        <Chip
          key={filter.name}
          filter={filter}
          value={value}
          onChange={next => change({ [filter.name]: next, ...FIRST_PAGE }, true)}
        />
      ))}
      {all.some(({ value }) => value !== '') && (
        <Button kind="quiet" isSmall onClick={() => change({ ...none, ...FIRST_PAGE }, true)}>
          Clear filters
        </Button>
      )}
    </fieldset>
  )
}

interface ChipProps {
  readonly filter: Filter
  readonly value: string
  readonly onChange: (value: string) => void
}

function Chip({ filter, value, onChange }: ChipProps) {
  const { label, type, options = [] } = filter
  const chip = useRef<HTMLSpanElement>(null)
  const known = options.map(each => (typeof each === 'string' ? { value: each, label: each } : each))
  const isSet = value !== ''
  return (
    <span class={isSet ? 'chip chip-set' : 'chip'} ref={chip}>
      <Popup
        isSmall
        opens="dialog"
        title={`Filter by ${label}`}
        {...(isSet ? {} : { icon: Plus })}
        content={close => (
          <FilterForm
            filter={filter}
            value={value}
            onChange={next => {
              close()
              onChange(next)
            }}
          />
        )}
      >
        {label}
        {isSet && ': '}
        {isSet &&
          (type === 'user' ? <UserName id={value} /> : (known.find(each => each.value === value)?.label ?? value))}
      </Popup>
      {isSet && (
        <Button
          isSmall
          icon={X}
          label={`Remove the filter ${label}`}
          onClick={() => {
            onChange('')
            // this button disappears
            chip.current?.querySelector('button')?.focus()
          }}
        />
      )}
    </span>
  )
}

/** A choice applies at once, and a typed value with Enter or the button. */
function FilterForm({ filter: { name, ...field }, value, onChange }: ChipProps) {
  const [text, setText] = useState(value)
  const isChoice = field.options !== undefined || field.type === 'user'
  return (
    <form
      class="stack"
      onSubmit={event => {
        event.preventDefault()
        onChange(text.trim())
      }}
    >
      <Field {...field} value={text} onChange={isChoice ? onChange : setText} />
      {!isChoice && (
        <Button kind="primary" isSmall type="submit">
          Apply
        </Button>
      )}
    </form>
  )
}

function UserName({ id }: { readonly id: string }) {
  const { data } = useLoad('user.get', { params: { user_id: id } })
  return <bdi class="name">{data?.client_user_id ?? id}</bdi>
}

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

/** A search field whose search starts when the user stops typing. */
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
