/** `--all`: reads a list to its end, with any pagination scheme. */
import { ServiceError } from '../../core/errors.ts'

/** The start of a page, as query parameters of the operation. Exactly one of them is set, or none for the first page. */
export interface PagePosition {
  readonly next_cursor?: string
  readonly offset?: number
  readonly page?: number
}

/** A response that is one page of a list. Its first member that is a list contains the items. */
export type ListPage = object

/** Yields all pages. Throws ServiceError `bad_response` for a list that would never end, and any error of `read`. */
export async function* allPages<P extends ListPage>(read: (at: PagePosition) => Promise<P>): AsyncGenerator<P> {
  let at: PagePosition | undefined = {}
  while (at) {
    const page: P = await read(at)
    yield page
    const next = positionAfter(page)
    if (next?.next_cursor !== undefined && next.next_cursor === at.next_cursor) {
      throw new ServiceError('bad_response', 'The service returned the same cursor twice, so paging would never end.')
    }
    at = next
    // The embedded service responds without a tick of the event loop; without this, Ctrl-C would wait for the last page.
    await new Promise(resolve => setImmediate(resolve))
  }
}

/**
 * Prints all pages. With `isStreamed`, prints each page as it arrives, otherwise all pages as one response. Returns the last page printed.
 */
export async function printAllPages<P extends ListPage>(
  read: (at: PagePosition) => Promise<P>,
  print: (page: P) => Promise<void>,
  isStreamed: boolean,
): Promise<P> {
  const pages: P[] = []
  for await (const page of allPages(read)) {
    if (isStreamed) {
      await print(page)
      pages.length = 0
    }
    pages.push(page)
  }
  const [first] = pages
  if (isStreamed && first) return first
  const merged = mergedPage(pages)
  await print(merged)
  return merged
}

/**
 * Returns one body of the same shape, as if one page had been large enough: the items of all pages, and everything else from the last page.
 * `limit` or `size` is the number of items.
 */
export function mergedPage<P extends ListPage>(pages: readonly P[]): P {
  const [first] = pages
  const last = pages.at(-1)
  if (!first || !last) throw new Error('a list has at least one page')
  const [name] = findList(last)
  const items = pages.flatMap(page => findList(page)[1])
  const counts = {
    ...('offset' in first ? { offset: first.offset, limit: items.length } : {}),
    ...('pages' in first ? { page: 1, pages: 1, size: items.length } : {}),
  }
  // The members are those of a page, with values of the same types.
  return { ...last, [name]: items, ...counts } as P
}

/** Returns where the next page begins; undefined after the last page. An empty page is always the last one. */
function positionAfter(page: ListPage): PagePosition | undefined {
  const { length } = findList(page)[1]
  if (length === 0) return undefined
  if ('next_cursor' in page) return typeof page.next_cursor === 'string' ? { next_cursor: page.next_cursor } : undefined
  const { offset, total, page: number, pages } = page as Readonly<Record<string, unknown>>
  if (typeof offset === 'number' && typeof total === 'number') {
    return offset + length < total ? { offset: offset + length } : undefined
  }
  if (typeof number === 'number' && typeof pages === 'number') return number < pages ? { page: number + 1 } : undefined
  throw new ServiceError('bad_response', 'The response is not a page of results.')
}

function findList(page: ListPage): [string, readonly unknown[]] {
  const found = Object.entries(page).find((entry): entry is [string, unknown[]] => Array.isArray(entry[1]))
  if (!found) throw new ServiceError('bad_response', 'The response has no list.')
  return found
}
