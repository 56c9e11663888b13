/**
 * What was read and is asked for by nearly every call (the clock, whose a key is, a user), kept as long as nothing was committed
 * by anybody. It is bounded: what was not asked for lately goes first.
 */

export interface StateSource {
  /** Of the snapshot that is being read: another one may hold another state. */
  snapshot(): number
  /** Differs after a commit of another connection. */
  dataVersion(): unknown
  /** Commits of this connection. */
  commits(): number
}

/** Values of one kind, in two generations of at most so much weight: a value that is asked for moves to the young one. */
class Generations {
  private readonly most: number
  private young = new Map<string, Weighed>()
  private old = new Map<string, Weighed>()
  private weight = 0

  constructor(most: number) {
    this.most = most
  }

  get(name: string): unknown {
    const young = this.young.get(name)
    if (young !== undefined) return young.value
    const old = this.old.get(name)
    if (old !== undefined) this.put(name, old)
    return old?.value
  }

  put(name: string, weighed: Weighed): void {
    if (this.weight + weighed.weight > this.most) {
      this.old = this.young
      this.young = new Map()
      this.weight = 0
    }
    this.young.set(name, weighed)
    this.weight += weighed.weight
  }

  clear(): void {
    this.young.clear()
    this.old.clear()
    this.weight = 0
  }
}

interface Weighed {
  readonly value: unknown
  readonly weight: number
}

/** Half of how many rows are kept, and half of how many bytes of what is large. */
const ROWS = 2_000
const BYTES = 8 << 20

export class Remembered {
  private readonly source: StateSource
  private readonly rows = new Generations(ROWS)
  private readonly large = new Generations(BYTES)
  private snapshot = -1
  private dataVersion: unknown = -1
  private commits = -1

  constructor(source: StateSource) {
    this.source = source
  }

  /** Inside a read. What is undefined or null is read again each time. */
  value<T>(name: string, read: () => T): T {
    this.forgetOldState()
    const kept = this.rows.get(name) as T | undefined
    if (kept !== undefined) return kept
    const value = read()
    if (value !== undefined && value !== null) this.rows.put(name, { value, weight: 1 })
    return value
  }

  /** The same for what is large; of more bytes than half the bound nothing is kept. */
  bytes<T extends object>(name: string, read: () => T, bytesOf: (value: T) => number): T {
    this.forgetOldState()
    const kept = this.large.get(name) as T | undefined
    if (kept !== undefined) return kept
    const value = read()
    const weight = bytesOf(value)
    if (weight <= BYTES) this.large.put(name, { value, weight })
    return value
  }

  private forgetOldState(): void {
    const snapshot = this.source.snapshot()
    // nothing changes within one
    if (snapshot === this.snapshot) return
    const dataVersion = this.source.dataVersion()
    const commits = this.source.commits()
    if (dataVersion !== this.dataVersion || commits !== this.commits) {
      this.rows.clear()
      this.large.clear()
    }
    this.snapshot = snapshot
    this.dataVersion = dataVersion
    this.commits = commits
  }
}
