/** Finds the next page of a service list, for every pagination scheme. */
import type { Arguments } from './tool.ts'

/** Returns the arguments for the page after this response; null if there is none. `args` are the operation's arguments. */
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
