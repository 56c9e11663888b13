/** The last entries of the command menu. The session storage has only their keys, one a line: URLs with IDs, and names of actions. */
import { readStored, store } from '../../api/stored.ts'

const NAME = 'svc-recent'
const MOST = 6
const ITEM = /^\/console\/(?:(?:users|events|labs\/orders)\/[0-9a-f]{8}-[0-9a-f-]{27}|reference\/[\w.-]+)$/i

/** Returns the keys, newest first. */
export function recentKeys(): readonly string[] {
  return readStored(NAME, 'sessionStorage')?.split('\n') ?? []
}

export function remember(key: string): void {
  const keys = [key, ...recentKeys().filter(each => each !== key)]
  store(NAME, keys.slice(0, MOST).join('\n'), 'sessionStorage')
}

/** Remembers a visited page if it shows one user, event, order or operation. */
export function rememberVisit(path: string): void {
  if (ITEM.test(path)) remember(path)
}

/** Name of the stored choice to not open the menu with `/`. */
export const SLASH_IS_OFF = 'svc-slash-off'

/** Forgets all entries, so that the next person to sign in does not see them. */
export function forgetRecent(): void {
  store(NAME, null, 'sessionStorage')
}
