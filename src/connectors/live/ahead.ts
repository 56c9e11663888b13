/** Reads paginated lists: requests the next page while the previous one is read and stored, and stops endless lists. */
import { ProviderError } from '../provider-session.ts'
import { MOST_CURSOR_LENGTH, MOST_EMPTY_PAGES, MOST_PAGES } from './response-limits.ts'

/**
 * Yields the source's items, requesting the next item before yielding each one. `sizeOf` returns a page's size. The source's errors are
 * thrown in order. Throws ProviderError `bad_answer` for too many pages or too many consecutive empty pages.
 */
export async function* ahead<T>(source: AsyncGenerator<T>, sizeOf: (page: T) => number): AsyncGenerator<T> {
  let coming = source.next()
  let empty = 0
  try {
    for (let pages = 1; ; pages++) {
      const { done, value } = await coming
      if (done) return
      empty = sizeOf(value) === 0 ? empty + 1 : 0
      if (pages > MOST_PAGES) throw endless(`after ${MOST_PAGES} pages`)
      if (empty > MOST_EMPTY_PAGES) throw endless(`after ${MOST_EMPTY_PAGES} empty pages in a row`)
      coming = source.next()
      // awaited later, unless the reader stops before that
      coming.catch(() => {})
      yield value
    }
  } finally {
    await coming.catch(() => {})
    await source.return(undefined)
  }
}

/** The provider's next-page token: a text or a number that the provider has not sent before. */
export class Cursor {
  private readonly seen = new Set<string>()

  /** Returns the next page's cursor, or null if there is none. Throws ProviderError `bad_answer` for anything else. */
  next(sent: unknown): string | null {
    if (sent === undefined || sent === null || sent === '') return null
    if (typeof sent !== 'string' && typeof sent !== 'number') {
      throw new ProviderError('bad_answer', 'The next-page token is neither a text nor a number.')
    }
    const cursor = String(sent)
    if (cursor.length > MOST_CURSOR_LENGTH) {
      throw new ProviderError('bad_answer', `The next-page token is longer than ${MOST_CURSOR_LENGTH} characters.`)
    }
    if (this.seen.has(cursor)) throw endless('and refers to a page for the second time')
    this.seen.add(cursor)
    return cursor
  }
}

function endless(how: string): ProviderError {
  return new ProviderError('bad_answer', `The list does not end ${how}.`)
}
