/** The query of the address as the state of a page, so that a link opens the same view again. */
import { useCallback } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'

/** What changes: a text sets a part of the query, null or an empty text removes it. */
export type QueryChange = Readonly<Record<string, string | number | null | undefined>>

interface Query {
  readonly query: Readonly<Record<string, string>>
  /** Changes parts of the query. A change that is no step of its own, such as typing, replaces the address in the history. */
  readonly change: (change: QueryChange, isStep?: boolean) => void
}

export function useQuery(): Query {
  const { path, query, route } = useLocation()
  const change = useCallback(
    (parts: QueryChange, isStep = true) => {
      const next = new URLSearchParams(location.search)
      for (const [name, value] of Object.entries(parts)) {
        if (value === null || value === undefined || value === '') next.delete(name)
        else next.set(name, String(value))
      }
      const search = next.toString()
      const address = search === '' ? location.pathname : `${location.pathname}?${search}`
      if (address !== location.pathname + location.search) route(address, !isStep)
    },
    [path, route],
  )
  return { query, change }
}

/** A whole number of the query that is at least 0; anything else is the default. */
export function wholeOf(text: string | undefined, byDefault: number): number {
  const value = Number(text)
  return text !== undefined && Number.isInteger(value) && value >= 0 ? value : byDefault
}
