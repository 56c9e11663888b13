/** The user whose data the console shows. Their ID is in the URL, and links to other pages keep it. */
import { useLocation } from 'preact-iso/router'
import { BASE } from './base.ts'

const USER_PAGE = /^\/console\/users\/([^/?#]+)/

/** Returns the ID of the chosen user; null if no user is chosen. */
export function useChosenUser(): string | null {
  const { path, query } = useLocation()
  return query['user'] || userOfPage(path)
}

/** Adds the chosen user to the URL of a page below the base path, unless the URL has a user. */
export function withUser(href: string): string {
  const id = new URLSearchParams(location.search).get('user') || userOfPage(location.pathname)
  if (!id || !href.startsWith('/console/') || USER_PAGE.test(href) || /[?&]user=/.test(href)) return href
  return `${href}${href.includes('?') ? '&' : '?'}user=${encodeURIComponent(id)}`
}

function userOfPage(path: string): string | null {
  const id = USER_PAGE.exec(path.slice(BASE.length))?.[1]
  return id === undefined ? null : decodeURIComponent(id)
}
