/** What a page shows is in its address, so that a link or a reload shows the same. */
import { useCallback } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'

export interface Address {
  readonly query: Readonly<Record<string, string>>
  /** Changes parts of the query; null or an empty text removes a part. Replaces the entry of the history, unless `isStep` is set. */
  readonly change: (parts: Readonly<Record<string, string | null>>, isStep?: boolean) => void
}

export function useAddress(): Address {
  const { path, query, route } = useLocation()
  const change = useCallback<Address['change']>(
    (parts, isStep = false) => {
      const next = new URLSearchParams(query)
      for (const [name, value] of Object.entries(parts)) {
        if (value === null || value === '') next.delete(name)
        else next.set(name, value)
      }
      const search = next.toString()
      route(search === '' ? path : `${path}?${search}`, !isStep)
    },
    [path, query, route],
  )
  return { query, change }
}
