/** New events of the team as they happen, over server-sent events. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Answer } from './call.ts'

export type ListedEvent = Answer<'event.list'>['data'][number]

export type StreamState = 'connecting' | 'open' | 'lost'

export interface StreamFilter {
  readonly type?: string | undefined
  readonly user_id?: string | undefined
}

/** Calls `onEvent` with every new event that fits the filter; a filter of null listens to nothing. The browser reconnects by itself. */
export function useEventStream(filter: StreamFilter | null, onEvent: (event: ListedEvent) => void): StreamState {
  const [state, setState] = useState<StreamState>('connecting')
  const latest = useRef(onEvent)
  latest.current = onEvent
  const query = filter === null ? null : queryOf(filter)
  useEffect(() => {
    if (query === null) return
    setState('connecting')
    const source = new EventSource(`/console/events/stream${query}`)
    source.addEventListener('open', () => setState('open'))
    source.addEventListener('error', () => setState(source.readyState === EventSource.CLOSED ? 'lost' : 'connecting'))
    source.addEventListener('event', message => {
      latest.current(JSON.parse(message.data) as ListedEvent) // the server sends what event.list answers
    })
    return () => source.close()
  }, [query])
  return state
}

function queryOf(filter: StreamFilter): string {
  const parts = new URLSearchParams()
  if (filter.type) parts.set('type', filter.type)
  if (filter.user_id) parts.set('user_id', filter.user_id)
  const text = parts.toString()
  return text === '' ? '' : `?${text}`
}
