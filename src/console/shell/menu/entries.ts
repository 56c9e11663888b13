/** The entries of the command menu: pages, actions, and what the service finds. They show names and IDs, but no health data. */
import { useLocation } from 'preact-iso/router'
import { listOperations, loadDocument } from '../../api/api-document.ts'
import { BASE } from '../../api/base.ts'
import { call, type OperationId } from '../../api/call.ts'
import { useEngineClock } from '../../api/engine-clock.tsx'
import { noneIfMissing } from '../../api/problem.ts'
import { mayUse } from '../../api/session.ts'
import { useLoader } from '../../api/use-call.ts'
import { isVisible, PLACES } from '../../pages/navigation.ts'
import { searchOperations } from '../../pages/reference/document.ts'
import { useToast } from '../../parts/toasts.tsx'
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

interface EntryGroup {
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
function pageEntries(): readonly Entry[] {
  return PLACES.filter(isVisible).map(({ href, title, topic }) => ({ key: href, title, detail: topic }))
}

const ACTIONS: readonly (Entry & { readonly needs: OperationId })[] = [
  { key: '/console/users?new=1', title: 'Create user', detail: '', needs: 'user.create' },
  { key: '/console/events?open=trigger', title: 'Trigger an event', detail: '', needs: 'event.trigger' },
  { key: '/console/labs/orders?new=1', title: 'Place an order', detail: '', needs: 'order.create' },
]

/** Returns the actions that the session may use. */
const actionEntries = (): readonly Entry[] => ACTIONS.filter(({ needs }) => mayUse(needs))

const KINDS = { users: 'User', events: 'Event', 'labs/orders': 'Order', reference: 'API operation' } as const
type Kind = keyof typeof KINDS

/** Returns an entry for the page of one item. */
function itemEntry(kind: Kind, id: string, title: string = KINDS[kind]): Entry {
  return { key: `/console/${kind}/${id}`, title, detail: id }
}

/** Returns the recent entries, newest first. Items have only their kind and ID. */
function recentEntries(known: readonly Entry[]): readonly Entry[] {
  return recentKeys().flatMap(key => {
    const [, kind, id = ''] = /^\/console\/(users|events|labs\/orders|reference)\/([^/?]+)$/.exec(key) ?? []
    return known.find(entry => entry.key === key) ?? (kind ? itemEntry(kind as Kind, id) : []) // as the pattern says
  })
}

/** Returns the entries with all words of the text, recent ones first. */
function matchingEntries(entries: readonly Entry[], text: string): readonly Entry[] {
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
async function loadNames(keys: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const ids = keys.map(key => key.replace('/console/users/', ''))
  // a search does not fail if there is no such user
  const found = await Promise.all(ids.map(id => call('user.search', { query: { query_id: id } }, { signal })))
  return new Map(found.flat().map(user => [`/console/users/${user.user_id}`, user.client_user_id]))
}

/** Searches users, orders, events and operations, after a pause in which the signal may abort. Throws Problem. */
async function searchEntries(text: string, signal: AbortSignal): Promise<readonly EntryGroup[]> {
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

/** Returns the groups of entries, each with at least one, and their number in words. What the service finds is below the rest. */
export function useEntries(text: string) {
  const freeze = useFreeze()
  const pages = pageEntries()
  const actions = mayUse('clock.set') ? [...actionEntries(), freeze] : actionEntries()
  const here = useLocation().path.slice(BASE.length)
  const recent = recentEntries([...actions, ...pages]).filter(({ key }) => key !== here)
  const users = recent.map(({ key }) => key).filter(key => key.startsWith('/console/users/'))
  const names = useLoader(users.length === 0 ? null : users.join(), signal => loadNames(users, signal))
  const search = useLoader(text === '' ? null : text, async signal => ({
    text,
    groups: await searchEntries(text, signal),
  }))
  // what was found for another text must not look like the result for this one
  const found = search.data?.text === text ? search.data.groups : []
  const all = [
    {
      title: 'Recent',
      entries: text === '' ? recent.map(each => ({ ...each, title: names.data?.get(each.key) ?? each.title })) : [],
    },
    { title: 'Actions', entries: matchingEntries(actions, text) },
    { title: 'Pages', entries: matchingEntries(pages, text) },
    ...found,
  ]
  const groups = all.filter(({ entries }) => entries.length > 0)
  const total = groups.reduce((sum, { entries }) => sum + entries.length, 0)
  const isSearching = text !== '' && search.data?.text !== text && search.problem === null
  const count = total === 0 ? 'Nothing found. Type part of a name, or a whole ID.' : `Results: ${total}`
  return { groups, problem: search.problem, state: isSearching ? 'Searching' : count }
}

/** Returns the action that freezes the engine's clock, or lets it run again. */
function useFreeze(): Entry {
  const toast = useToast()
  const { load, change } = useEngineClock()
  const isFrozen = load.data?.frozen === true
  const run = async () => {
    await change({ freeze: !isFrozen })
    toast({ text: isFrozen ? 'The clock runs again.' : 'The clock is frozen.' })
  }
  return { key: 'freeze', title: isFrozen ? 'Let the clock run' : 'Freeze clock', detail: '', run }
}
