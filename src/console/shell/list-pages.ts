/** Manages the pages of a service list. The URL contains the current page. */
import { useState } from 'preact/hooks'
import { count, offsetPages, type Pages } from '../parts/table.tsx'
import { parseWhole, useUrlState } from './url-state.ts'

/**
 * Returns the cursor of the page, which the first page does not have. Remembers the cursors of earlier pages, because the service returns
 * only the next cursor. After a reload, Previous returns to the first page.
 */
export function useCursorPages(noun: string) {
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
    readPages: ({ next_cursor: next }: { readonly next_cursor: string | null }, shown: number): Pages => ({
      noun,
      shown: `${count(shown)} ${noun} on this page`,
      onBack: cursor === undefined ? null : onBack,
      onNext: next ? () => onNext(next) : null,
    }),
  }
}

/** Returns the page number, from 1, and the pages of a list. */
export function useNumberedPages(noun: string) {
  const { query, change } = useUrlState()
  const go = (size: number) => (offset: number) => change({ page: offset === 0 ? null : offset / size + 1 }, true)
  return {
    number: parseWhole(query['page'], 1),
    readPages: ({ page, size, total }: Readonly<Record<'page' | 'size' | 'total', number>>) =>
      offsetPages({ noun, offset: (page - 1) * size, limit: size, total }, go(size)),
  }
}
