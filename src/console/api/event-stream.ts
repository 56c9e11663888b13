/** Receives the team's new events as they happen, as server-sent events. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { BASE } from './base.ts'
import { type ResponseOf, withQuery } from './call.ts'

export type ListedEvent = ResponseOf<'event.list'>['data'][number]

export type StreamState = 'connecting' | 'open' | 'lost'

export interface StreamFilter {
  readonly type?: string | undefined
  readonly user_id?: string | undefined
}

interface StreamEvents {
  readonly onEvent: (event: ListedEvent) => void
  /** Called if the server can no longer send some missed events, so that the list must be reloaded. */
  readonly onGap: () => void
}

/** Listens for new events that match the filter; a null filter disables listening. The browser reconnects automatically. */
export function useEventStream(filter: StreamFilter | null, events: StreamEvents): StreamState {
  const [state, setState] = useState<StreamState>('connecting')
  const latest = useRef(events)
  latest.current = events
  const url =
    filter === null ? null : withQuery('/console/events/stream', { type: filter.type, user_id: filter.user_id })
  useEffect(() => {
    if (url === null) return
    setState('connecting')
    const source = new EventSource(`${BASE}${url}`)
    source.addEventListener('open', () => setState('open'))
    source.addEventListener('error', () => setState(source.readyState === EventSource.CLOSED ? 'lost' : 'connecting'))
    source.addEventListener('event', message => {
      latest.current.onEvent(JSON.parse(message.data) as ListedEvent) // the server sends the items of event.list
    })
    source.addEventListener('gap', () => latest.current.onGap())
    return () => source.close()
  }, [url])
  return state
}
