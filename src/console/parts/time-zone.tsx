/**
 * The time zone in which the console shows times: the browser's, UTC, or the chosen user's. Unless one of them is chosen, measurements have
 * the user's local time, and other times have the browser's.
 */
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { BASE } from '../api/base.ts'
import type { ResponseOf } from '../api/call.ts'
import { useChosenUser } from '../api/chosen-user.ts'
import { useEngineClock } from '../api/engine-clock.tsx'
import { readStored, store } from '../api/stored.ts'
import { type Load, useLoad } from '../api/use-call.ts'
import { Field } from './field.tsx'
import { convertTexts, floatingDate, toFloating } from './floating.ts'

const CHOICES = [
  { value: 'auto', label: 'Automatic' },
  { value: 'mine', label: 'My time zone' },
  { value: 'utc', label: 'UTC' },
  { value: 'user', label: "The user's time zone" },
]
const NAME = 'svc-time-zone'
const MINE = Intl.DateTimeFormat().resolvedOptions().timeZone
/** Pages with measurements. */
const MEASUREMENTS = /^\/console\/(?:data|query)(?:\/|$)/

type User = Load<ResponseOf<'user.get'>>

const NO_USER: User = { data: undefined, problem: null, isLoading: false, reload: () => {}, replace: () => {} }
const ZoneContext = createContext({
  ...{ choice: 'auto', zone: MINE, measured: '', user: NO_USER },
  choose: (_choice: string) => {},
})

/** Returns the IANA time zone in which the page shows times. */
export function useTimeZone(): string {
  return useContext(ZoneContext).zone
}

/** Returns the time zone to which measurements are converted; empty for the user's local time. Drawn texts are replaced if it is a key. */
export function useMeasuredZone(): string {
  return useContext(ZoneContext).measured
}

/** Returns the chosen user's record. It is loaded only on pages with measurements. */
export function useChosenUserRecord(): User {
  return useContext(ZoneContext).user
}

/** Keeps the choice in this browser, and finds the zone that it means. */
export function TimeZoneProvider({ children }: { readonly children: ComponentChildren }) {
  const [choice, setChoice] = useState(() => readStored(NAME) ?? 'auto')
  const userId = useChosenUser()
  const isMeasured = MEASUREMENTS.test(useLocation().path.slice(BASE.length))
  const isNeeded = userId !== null && (choice === 'user' || isMeasured)
  const user = useLoad('user.get', isNeeded ? { params: { user_id: userId } } : null)
  const ofUser = user.data && (userZone(user.data) ?? 'UTC')
  const zone = choice === 'utc' ? 'UTC' : choice === 'user' && ofUser && isKnown(ofUser) ? ofUser : MINE
  const measured = isMeasured && user.data && (choice === 'mine' || choice === 'utc') ? zone : ''
  convertTexts(userZone(user.data), measured || null)
  const choose = (next: string): void => {
    setChoice(next)
    store(NAME, next)
  }
  return <ZoneContext.Provider value={{ choice, zone, measured, user, choose }}>{children}</ZoneContext.Provider>
}

/** Returns whether the browser can show times in a zone. */
function isKnown(zone: string): boolean {
  try {
    return new Date().toLocaleString('en', { timeZone: zone }) !== ''
  } catch {
    return false
  }
}

/** Says which time zone times are in, and lets the user choose another one. */
export function TimeZoneChoice() {
  const { choice, zone, measured, choose } = useContext(ZoneContext)
  const isWithoutUser = useChosenUser() === null && choice === 'user'
  const isMeasured = MEASUREMENTS.test(useLocation().path.slice(BASE.length))
  const name = isWithoutUser ? `No user is chosen, so times are in ${zone}.` : zone
  const hint = isMeasured && measured === '' ? "Measurements are in the user's local time." : name.replaceAll('_', ' ')
  return <Field label="Times in" value={choice} onChange={choose} options={CHOICES} hint={hint} />
}

/** Returns the time zone of a user's days; null means UTC. */
export function userZone(user: ResponseOf<'user.get'> | null | undefined): string | null {
  return user?.fallback_time_zone?.id ?? null
}

/** Returns the chosen user's current day, YYYY-MM-DD, or null while the user is loading. Without a user, the day is that of UTC. */
export function useToday(): string | null {
  const { now } = useEngineClock()
  const user = useChosenUserRecord()
  if (user.isLoading && user.data === undefined) return null
  return floatingDate(toFloating(now / 1000, null, userZone(user.data)))
}
