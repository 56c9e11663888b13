/** The entries of the command menu: pages, actions, and what the service finds. They show names and IDs, but no health data. */
import { listOperations, loadDocument } from '../../api/api-document.ts'
import { call, type OperationId } from '../../api/call.ts'
import { noneIfMissing } from '../../api/problem.ts'
import { mayUse } from '../../api/session.ts'
import { isVisible, PLACES } from '../../pages/navigation.ts'
import { searchOperations } from '../../pages/reference/document.ts'
import { LEAST_SEARCHED } from '../../parts/user-picker.tsx'
import { recentKeys } from './recent.ts'

export interface Entry {
  /** URL to open, or the name of an action. */
  readonly key: string
  readonly title: string
  /** Topic or ID. */
  readonly detail: string
  /** Runs the action; absent if the entry only opens its URL. */
  readonly run?: () => Promise<void>
}

export interface EntryGroup {
  readonly title: string
  readonly entries: readonly Entry[]
}

/** Maximum number of entries of a kind. */
const MOST_FOUND = 6
/** Delay after typing before the search starts. */
const PAUSE_MS = 150
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** A part of an ID that is long enough not to be a name. */
const START_OF_ID = /^[0-9a-f]{8}[0-9a-f-]{0,28}$/i

/** Returns the pages that the session can open. */
export function pageEntries(): readonly Entry[] {
  return PLACES.filter(isVisible).map(({ href, title, topic }) => ({ key: href, title, detail: topic }))
}

const ACTIONS: readonly (Entry & { readonly needs: OperationId })[] = [
  { key: '/console/users?new=1', title: 'Create user', detail: '', needs: 'user.create' },
  { key: '/console/events?open=trigger', title: 'Trigger an event', detail: '', needs: 'event.trigger' },
  { key: '/console/labs/orders?new=1', title: 'Place an order', detail: '', needs: 'order.create' },
]

/** Returns the actions that the session may use. */
export const actionEntries = (): readonly Entry[] => ACTIONS.filter(({ needs }) => mayUse(needs))

const KINDS = { users: 'User', events: 'Event', 'labs/orders': 'Order', reference: 'API operation' } as const
type Kind = keyof typeof KINDS

/** Returns an entry for the page of one item. */
function itemEntry(kind: Kind, id: string, title: string = KINDS[kind]): Entry {
  return { key: `/console/${kind}/${id}`, title, detail: id }
}

/** Returns the recent entries, newest first. Items have only their kind and ID. */
export function recentEntries(known: readonly Entry[]): readonly Entry[] {
  return recentKeys().flatMap(key => {
    const [, kind, id = ''] = /^\/console\/(users|events|labs\/orders|reference)\/([^/?]+)$/.exec(key) ?? []
    return known.find(entry => entry.key === key) ?? (kind ? itemEntry(kind as Kind, id) : []) // as the pattern says
  })
}

/** Returns the entries with all words of the text, recent ones first. */
export function matchingEntries(entries: readonly Entry[], text: string): readonly Entry[] {
  const words = text.toLowerCase().split(/\s+/)
  return recentFirst(
    entries.filter(({ title, detail }) => words.every(word => `${title} ${detail}`.toLowerCase().includes(word))),
  )
}

function recentFirst(entries: readonly Entry[]): readonly Entry[] {
  const keys = recentKeys().toReversed()
  return entries.toSorted((a, b) => keys.indexOf(b.key) - keys.indexOf(a.key))
}

/** Returns the names of users, by the URLs of their pages. A deleted user has none. */
export async function loadNames(keys: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const ids = keys.map(key => key.replace('/console/users/', ''))
  // a search does not fail if there is no such user
  const found = await Promise.all(ids.map(id => call('user.search', { query: { query_id: id } }, { signal })))
  return new Map(found.flat().map(user => [`/console/users/${user.user_id}`, user.client_user_id]))
}

/** Searches users, orders, events and operations, after a pause in which the signal may abort. Throws Problem. */
export async function searchEntries(text: string, signal: AbortSignal): Promise<readonly EntryGroup[]> {
  await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
  if (signal.aborted || text.length < LEAST_SEARCHED) return []
  const [users, { orders }, document] = await Promise.all([
    call('user.search', { query: { query_id: text } }, { signal }),
    START_OF_ID.test(text) && mayUse('order.list')
      ? call('order.list', { query: { search_input: text, size: MOST_FOUND } }, { signal })
      : { orders: [] },
    loadDocument(),
  ])
  // the service also finds names of patients
  const ids = orders.map(({ id }) => id).filter(id => id.startsWith(text.toLowerCase()))
  // one ID belongs to one item
  const event =
    UUID.test(text) && users.length + ids.length === 0 && mayUse('event.get')
      ? await call('event.get', { params: { event_id: text.toLowerCase() } }, { signal }).catch(noneIfMissing)
      : null
  const operations = searchOperations(listOperations(document), text)
  return [
    { title: 'Users', entries: users.map(user => itemEntry('users', user.user_id, user.client_user_id)) },
    { title: 'Orders', entries: ids.map(id => itemEntry('labs/orders', id)) },
    { title: 'Events', entries: event === null ? [] : [itemEntry('events', event.event_id)] },
    {
      title: 'API operations',
      entries: operations.map(({ operationId, summary, method, path }) => ({
        ...itemEntry('reference', operationId, summary),
        detail: `${method} ${path}`,
      })),
    },
  ].map(({ title, entries }) => ({ title, entries: recentFirst(entries).slice(0, MOST_FOUND) }))
}
