/**
 * Caches data that nearly every call reads (the clock, a key's owner, a user) until the next commit. The cache has a limited size, and the
 * least recently used entries are removed first.
 */

export interface StateSource {
  /** Number of the snapshot that is being read. Another snapshot may have a different state. */
  snapshot(): number
  /** SQLite's data version, which changes after another handle's commit. */
  dataVersion(): unknown
  /** Number of commits by this handle. */
  commits(): number
}

/** Values of one kind in two generations, each with a maximum weight. A value that is read is moved to the young generation. */
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

/** Half the maximum number of cached rows, and half the maximum size of cached large values in bytes. */
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

  /** Returns a value from the cache, or reads it. Undefined and null are not cached. Must run inside a read. */
  value<T>(name: string, read: () => T): T {
    this.forgetOldState()
    const kept = this.rows.get(name) as T | undefined
    if (kept !== undefined) return kept
    const value = read()
    if (value !== undefined && value !== null) this.rows.put(name, { value, weight: 1 })
    return value
  }

  /** Returns a large value from the cache, or reads it. A value larger than half the limit is not cached. */
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
    // nothing changes within one snapshot
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
