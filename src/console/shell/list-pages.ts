/** Manages the pages of a service list. The URL contains the current page. */
import { useState } from 'preact/hooks'
import { count, offsetPages, type Pages } from '../parts/table.tsx'
import { parseWhole, useUrlState } from './url-state.ts'

interface CursorPages {
  /** Cursor of the page; undefined for the first page. */
  readonly cursor: string | undefined
  readonly readPages: (page: { readonly next_cursor: string | null }, shown: number) => Pages
}

/**
 * Remembers the cursors of earlier pages, because the service returns only the next cursor. After a reload, Previous returns to the first
 * page.
 */
export function useCursorPages(noun: string): CursorPages {
  const { query, change } = useUrlState()
  const [before, setBefore] = useState<readonly (string | undefined)[]>([])
  const { cursor } = query
  const onBack = (): void => {
    change({ cursor: before.at(-1) }, true)
    setBefore(before.slice(0, -1))
  }
  const onNext = (next: string): void => {
    setBefore([...before, cursor])
    change({ cursor: next }, true)
  }
  return {
    cursor,
    readPages: ({ next_cursor: next }, shown) => ({
      noun,
      shown: `${count(shown)} ${noun} on this page`,
      onBack: cursor === undefined ? null : onBack,
      onNext: next ? () => onNext(next) : null,
    }),
  }
}

interface NumberedPages {
  /** Page number, from 1. */
  readonly number: number
  readonly readPages: (page: { readonly page: number; readonly size: number; readonly total: number }) => Pages
}

/** Returns the pages of a list with page numbers. */
export function useNumberedPages(noun: string): NumberedPages {
  const { query, change } = useUrlState()
  const go = (size: number) => (offset: number) => change({ page: offset === 0 ? null : offset / size + 1 }, true)
  return {
    number: parseWhole(query['page'], 1),
    readPages: ({ page, size, total }) =>
      offsetPages({ noun, offset: (page - 1) * size, limit: size, total }, go(size)),
  }
}
