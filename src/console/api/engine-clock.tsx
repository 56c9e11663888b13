/** The engine's clock, which stored times come from. It may be frozen, or ahead of real time. The frame loads it for all pages. */
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { call, type Input, type ResponseOf } from './call.ts'
import { type Load, useLoad } from './use-call.ts'

interface EngineClock {
  readonly load: Load<ResponseOf<'clock.get'>>
  readonly change: (body: NonNullable<Input<'clock.set'>['body']>) => Promise<void>
  /** Current time by the engine's clock, in milliseconds, which advances every 20 seconds; real time until the clock is loaded. */
  readonly now: number
}

const TICK_MS = 20_000
const ClockContext = createContext<EngineClock | null>(null)

/** Returns the engine's clock. Only pages and the frame call this. */
export function useEngineClock(): EngineClock {
  const clock = useContext(ClockContext)
  if (clock === null) throw new Error('A page was shown without a clock.')
  return clock
}

export function ClockProvider({ children }: { readonly children: ComponentChildren }) {
  const { path } = useLocation()
  const load = useLoad('clock.get', {})
  const { data, reload, replace } = load
  const isFirst = useRef(true)
  // commands may have moved the clock since the last page
  useEffect(() => {
    if (!isFirst.current) reload()
    isFirst.current = false
  }, [path])
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick(before => before + 1), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  const loadedAt = useMemo(() => Date.now(), [data])
  const passed = data?.frozen ? 0 : Date.now() - loadedAt
  const now = (data === undefined ? loadedAt : Date.parse(data.now)) + passed
  const change: EngineClock['change'] = async body => replace(await call('clock.set', { body }))
  return <ClockContext.Provider value={{ load, change, now }}>{children}</ClockContext.Provider>
}
