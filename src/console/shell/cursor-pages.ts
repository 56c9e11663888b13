/** Pages of a list with a cursor. The address has the cursor of the page that is shown. */
import { useState } from 'preact/hooks'
import { useAddress } from './address.ts'

export interface CursorPages {
  /** Cursor of the page; undefined for the first one. */
  readonly cursor: string | undefined
  /** Props of CursorPager, besides its texts and the next cursor. */
  readonly pager: {
    readonly canGoBack: boolean
    readonly onBack: () => void
    readonly onNext: (cursor: string) => void
  }
}

/** Remembers the cursors of earlier pages, because the service only gives the next one. After a reload, Previous leads to the first page. */
export function useCursorPages(): CursorPages {
  const { query, change } = useAddress()
  const [before, setBefore] = useState<readonly (string | undefined)[]>([])
  const { cursor } = query
  return {
    cursor,
    pager: {
      canGoBack: cursor !== undefined,
      onBack() {
        change({ cursor: before.at(-1) }, true)
        setBefore(before.slice(0, -1))
      },
      onNext(next) {
        setBefore([...before, cursor])
        change({ cursor: next }, true)
      },
    },
  }
}
