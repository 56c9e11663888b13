/** The filters of the list of events, which are kept in the address. */
import { useEffect, useState } from 'preact/hooks'
import type { Input } from '../../api/call.ts'
import { Button } from '../../parts/button.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import { UserPicker } from '../../parts/user-picker.tsx'
import { TypeField } from './type-field.tsx'

export type EventFilter = Pick<
  NonNullable<Input<'event.list'>['query']>,
  'type' | 'user_id' | 'state' | 'since' | 'until'
>

const STATES = [
  { value: '', label: 'Any' },
  { value: 'pending', label: 'Pending' },
  { value: 'failing', label: 'Failing' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'dead', label: 'Dead' },
]

/** Reads the filters from the query of the address. The server refuses values that it does not know, and the page shows what it says. */
export function filterOf(query: Readonly<Record<string, string>>): EventFilter {
  const filter = {
    type: query['type'],
    user_id: query['user'],
    state: query['state'],
    since: query['since'],
    until: query['until'],
  }
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value)) as EventFilter // `state` is checked by the server
}

interface EventFiltersProps {
  readonly query: Readonly<Record<string, string>>
  readonly onChange: (parts: Readonly<Record<string, string | null>>) => void
}

/** Time without typing after which the pattern is applied. */
const PAUSE_MS = 400

export function EventFilters({ query, onChange }: EventFiltersProps) {
  const [type, setType] = useState(query['type'] ?? '')
  const asked = query['type'] ?? ''
  useEffect(() => setType(asked), [asked])
  useEffect(() => {
    if (type === asked) return
    const timer = setTimeout(() => onChange({ type }), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [type, asked, onChange])
  const isFiltered = ['type', 'user', 'state', 'since', 'until'].some(name => query[name])
  return (
    <form class="filters" onSubmit={event => event.preventDefault()} aria-label="Filters">
      <TypeField label="Type" value={type} onInput={setType} placeholder="daily.data.*" />
      <UserPicker userId={query['user'] ?? null} onPick={user => onChange({ user: user.user_id })} />
      <SelectField
        label="Delivery"
        value={query['state'] ?? ''}
        options={STATES}
        onChange={state => onChange({ state })}
      />
      <TextField label="Since" type="date" value={query['since'] ?? ''} onInput={since => onChange({ since })} />
      <TextField label="Until" type="date" value={query['until'] ?? ''} onInput={until => onChange({ until })} />
      <Button
        disabled={!isFiltered}
        onClick={() => onChange({ type: null, user: null, state: null, since: null, until: null })}
      >
        Clear
      </Button>
    </form>
  )
}
