/** The next page of a list of the service, whichever way the operation counts pages. */
import type { Arguments } from './tool.ts'

/** Returns the arguments that lead to the page after this answer; null if there is none. `args` are those of the operation. */
export function nextPage(body: unknown, args: ReadonlyMap<string, unknown>): Arguments | null {
  if (typeof body !== 'object' || body === null) return null
  const { next_cursor, page, pages, offset, total, users } = body as Readonly<Record<string, unknown>>
  if (args.has('next_cursor') && typeof next_cursor === 'string' && next_cursor !== '') return { next_cursor }
  if (args.has('page') && typeof page === 'number' && typeof pages === 'number') {
    return page < pages ? { page: page + 1 } : null
  }
  if (args.has('offset') && typeof offset === 'number' && typeof total === 'number' && Array.isArray(users)) {
    const end = offset + users.length
    return end < total && users.length > 0 ? { offset: end } : null
  }
  return null
}
