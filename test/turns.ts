/** What was seen of the event loop while something ran. */
export interface Seen<T> {
  readonly result: T
  /** How many turns it made: what others could have been served in. */
  readonly turns: number
  /** The longest stretch between two of them, of all the time on a processor: a busy machine changes neither. */
  readonly longestShare: number
}

/** Watches the event loop while something runs. */
export async function watchingTurns<T>(work: () => Promise<T>): Promise<Seen<T>> {
  const onProcessor = (): number => {
    const { user, system } = process.cpuUsage()
    return user + system
  }
  const began = onProcessor()
  let [turns, last, longest] = [0, began, 0]
  let isOn = true
  const look = (): void => {
    const now = onProcessor()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOn) return
    turns++
    setImmediate(look)
  }
  setImmediate(look)
  try {
    const result = await work()
    isOn = false
    look()
    return { result, turns, longestShare: longest / (last - began) }
  } finally {
    isOn = false
  }
}
