/** Hooks for calls, which load a page's data or run a button's action. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { call, type Input, type OperationId, type ResponseOf } from './call.ts'
import { Problem, unreachable } from './problem.ts'

/** State of a load. Reloading the same input keeps its data until the new data arrives. */
export interface Load<T> {
  readonly data: T | undefined
  readonly problem: Problem | null
  readonly isLoading: boolean
  /** Loads again. */
  readonly reload: () => void
  /** Replaces the data without a call, for example after a change that returned the new state. */
  readonly replace: (data: T) => void
}

/**
 * Calls an operation to load data, and calls it again whenever the input changes. A null input loads nothing. A late response to an earlier
 * input is dropped.
 */
export function useLoad<K extends OperationId>(id: K, input: Input<K> | null): Load<ResponseOf<K>> {
  const key = input === null ? null : JSON.stringify(input)
  return useLoader(key === null ? null : `${id} ${key}`, signal => call(id, input as Input<K>, { signal })) // a null key never loads
}

/** Like `useLoad`, but with any loading function. Loads again when `key` changes, and not at all if `key` is null. */
export function useLoader<T>(key: string | null, load: (signal: AbortSignal) => Promise<T>): Load<T> {
  const [state, setState] = useState<Loading<T>>({ ...NOTHING, key, isLoading: key !== null })
  const [round, setRound] = useState(0)
  const latest = useRef(load)
  latest.current = load
  useEffect(() => {
    if (key === null) {
      setState({ ...NOTHING, key })
      return
    }
    const controller = new AbortController()
    setState(before => ({ ...(before.key === key ? before : NOTHING), key, problem: null, isLoading: true }))
    latest.current(controller.signal).then(
      data => {
        if (!controller.signal.aborted) setState({ key, data, problem: null, isLoading: false })
      },
      (error: unknown) => {
        if (!controller.signal.aborted) setState(before => ({ ...before, problem: asProblem(error), isLoading: false }))
      },
    )
    return () => controller.abort()
  }, [key, round])
  const reload = useCallback(() => setRound(before => before + 1), [])
  const replace = useCallback((data: T) => setState(({ key }) => ({ key, data, problem: null, isLoading: false })), [])
  // the effect runs after drawing: until then, the state of the previous input must not be shown as that of this one
  const { data, problem, isLoading } = state.key === key ? state : { ...NOTHING, isLoading: key !== null }
  return { data, problem, isLoading, reload, replace }
}

interface Loading<T> {
  /** The input that this state belongs to. */
  readonly key: string | null
  readonly data: T | undefined
  readonly problem: Problem | null
  readonly isLoading: boolean
}

const NOTHING = { data: undefined, problem: null, isLoading: false } as const

/** Loads code on demand. A browser does not load a module again after a failure, so `reload` loads the whole document. */
export function useCode<T>(name: string | null, load: () => Promise<T>): Load<T> {
  const fail = (): never => {
    throw unreachable()
  }
  return { ...useLoader(name, () => load().catch(fail)), reload: () => location.reload() }
}

export interface Action<A extends readonly unknown[]> {
  readonly run: (...args: A) => Promise<void>
  readonly isRunning: boolean
  readonly problem: Problem | null
  /** Forgets the problem, for example when a form is shown again. */
  readonly clear: () => void
}

/** Runs a button's action, one run at a time, and keeps the problem of the last run. */
export function useAction<A extends readonly unknown[]>(act: (...args: A) => Promise<unknown>): Action<A> {
  const [isRunning, setIsRunning] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const latest = useRef(act)
  latest.current = act
  const busy = useRef(false)
  const run = useCallback(async (...args: A) => {
    if (busy.current) return
    busy.current = true
    setIsRunning(true)
    setProblem(null)
    try {
      await latest.current(...args)
    } catch (error) {
      setProblem(asProblem(error))
    } finally {
      busy.current = false
      setIsRunning(false)
    }
  }, [])
  const clear = useCallback(() => setProblem(null), [])
  return { run, isRunning, problem, clear }
}

/**
 * Converts any error to a Problem. An error that is not a Problem is a bug in the console, and is logged to the browser console for a bug
 * report.
 */
function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  console.error(error)
  return new Problem(0, 'console_bug', 'The console failed. Reload the page; if it happens again, report it as a bug.')
}
