/** Observations of the event loop during a run. */
export interface LoopRun<T> {
  readonly result: T
  /** The number of ticks of the loop, in which other work could have been served. */
  readonly ticks: number
  /** The longest time between two ticks, as a share of the processor time, which does not depend on the load of the machine. */
  readonly longestShare: number
}

/** Watches the event loop during a run. */
export async function watchEventLoop<T>(work: () => Promise<T>): Promise<LoopRun<T>> {
  const onProcessor = (): number => {
    const { user, system } = process.cpuUsage()
    return user + system
  }
  const began = onProcessor()
  let [ticks, last, longest] = [0, began, 0]
  let isOn = true
  const look = (): void => {
    const now = onProcessor()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOn) return
    ticks++
    setImmediate(look)
  }
  setImmediate(look)
  try {
    const result = await work()
    isOn = false
    look()
    return { result, ticks, longestShare: longest / (last - began) }
  } finally {
    isOn = false
  }
}
