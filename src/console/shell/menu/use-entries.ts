/** The entries that the command menu shows for a text. */
import { useLocation } from 'preact-iso/router'
import { BASE } from '../../api/base.ts'
import { useEngineClock } from '../../api/engine-clock.tsx'
import { mayUse } from '../../api/session.ts'
import { useLoader } from '../../api/use-call.ts'
import { useToast } from '../../parts/toasts.tsx'
import {
  actionEntries,
  type Entry,
  loadNames,
  matchingEntries,
  pageEntries,
  recentEntries,
  searchEntries,
} from './entries.ts'

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
