/** The filters of the event list, which are kept in the URL. */
import { useEffect, useState } from 'preact/hooks'
import type { Input } from '../../api/call.ts'
import { Button } from '../../parts/button.tsx'
import { Filters } from '../../parts/form.tsx'
import { useEventTypes } from './event-types.ts'

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

/** Reads the filters from the query string. The server refuses unknown values, and the page shows its message. */
export function readFilter(query: Readonly<Record<string, string>>): EventFilter {
  const at = (name: string) => query[name] || undefined
  const state = at('state') as EventFilter['state'] // the server checks it
  return { type: at('type'), user_id: at('user'), state, since: at('since'), until: at('until') }
}

interface EventFiltersProps {
  readonly query: Readonly<Record<string, string>>
  readonly onChange: (parts: Readonly<Record<string, string | null>>) => void
}

/** Delay after typing before the pattern is applied. */
const PAUSE_MS = 400

export function EventFilters({ query, onChange }: EventFiltersProps) {
  const suggestions = useEventTypes()
  const [type, setType] = useState(query['type'] ?? '')
  const typeInUrl = query['type'] ?? ''
  useEffect(() => setType(typeInUrl), [typeInUrl])
  useEffect(() => {
    if (type === typeInUrl) return
    const timer = setTimeout(() => onChange({ type }), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [type, typeInUrl, onChange])
  const isFiltered = ['type', 'user', 'state', 'since', 'until'].some(name => query[name])
  const filter = (name: string) => query[name] ?? ''
  return (
    <Filters
      values={{ type, user: filter('user'), state: filter('state'), since: filter('since'), until: filter('until') }}
      onChange={({ type: typed, ...others }) => {
        if (typed === undefined) onChange(others)
        else setType(typed)
      }}
      fields={[
        { name: 'type', label: 'Type', suggestions, placeholder: 'daily.data.*' },
        { name: 'user', label: 'User', type: 'user' },
        { name: 'state', label: 'Delivery', options: STATES },
        { name: 'since', label: 'Since', type: 'date' },
        { name: 'until', label: 'Until', type: 'date' },
      ]}
    >
      <Button
        disabled={!isFiltered}
        onClick={() => onChange({ type: null, user: null, state: null, since: null, until: null })}
      >
        Clear
      </Button>
    </Filters>
  )
}
