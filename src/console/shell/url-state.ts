/** Keeps a page's state in its URL, so that a link or a reload shows the same state. */
import { useCallback, useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'

export interface UrlState {
  readonly query: Readonly<Record<string, string>>
  /** Changes parts of the query. Null, undefined or an empty text removes a part. Replaces the history entry, unless `isStep` is set. */
  readonly change: (parts: Readonly<Record<string, string | number | null | undefined>>, isStep?: boolean) => void
}

export function useUrlState(): UrlState {
  const { path, query, route } = useLocation()
  const change = useCallback<UrlState['change']>(
    (parts, isStep = false) => {
      // reads the current URL instead of the last render's, because a debounced search must keep changes made in the meantime
      const next = new URLSearchParams(location.search)
      for (const [name, value] of Object.entries(parts)) {
        if (value === null || value === undefined || value === '') next.delete(name)
        else next.set(name, String(value))
      }
      const search = next.toString()
      route(search === '' ? path : `${path}?${search}`, !isStep)
    },
    [path, route],
  )
  return { query, change }
}

/** Parts of the query for the position in a list. A list whose filters or order change begins again. */
export const FIRST_PAGE = { page: null, cursor: null, offset: null } as const

/**
 * Keeps a search text that may be a person's name. It is in the page's history entry instead of the URL, so that Back and a reload show the
 * same list.
 */
export function usePrivateSearch(): readonly [string, (text: string) => void] {
  const { path, url } = useLocation()
  const [own] = useState(path)
  const [text, setText] = useState(() => String(history.state?.search ?? ''))
  useEffect(() => {
    // the next page is already in the URL while its code is loading
    if (path === own) history.replaceState({ search: text }, '')
  }, [text, url])
  return [text, setText]
}

/** Parses a whole number of at least 0 from the query. Returns the default for anything else. */
export function parseWhole(text: string | undefined, byDefault: number): number {
  const value = Number(text)
  return text !== undefined && Number.isInteger(value) && value >= 0 ? value : byDefault
}
