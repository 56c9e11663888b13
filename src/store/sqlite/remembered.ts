/** What was read and asked for by nearly every call (the clock, whose a key is), kept as long as nothing was committed. */

export interface StateSource {
  /** Of the snapshot that is being read: another one may hold another state. */
  snapshot(): number
  /** Differs after a commit of another connection. */
  dataVersion(): number
  /** Commits of this connection. */
  commits(): number
}

/** More is not kept: then all is forgotten, and read again. */
const MOST_KEPT = 1_000

export class Remembered {
  private readonly source: StateSource
  private readonly values = new Map<string, unknown>()
  private snapshot = -1
  private dataVersion = -1
  private commits = -1

  constructor(source: StateSource) {
    this.source = source
  }

  /** Inside a read. What is undefined or null is read again each time. */
  value<T>(name: string, read: () => T): T {
    this.forgetOldState()
    const kept = this.values.get(name) as T | undefined
    if (kept !== undefined) return kept
    const value = read()
    if (value === undefined || value === null) return value
    if (this.values.size >= MOST_KEPT) this.values.clear()
    this.values.set(name, value)
    return value
  }

  private forgetOldState(): void {
    const snapshot = this.source.snapshot()
    // nothing changes within one
    if (snapshot === this.snapshot) return
    const [dataVersion, commits] = [this.source.dataVersion(), this.source.commits()]
    if (dataVersion !== this.dataVersion || commits !== this.commits) this.values.clear()
    this.snapshot = snapshot
    this.dataVersion = dataVersion
    this.commits = commits
  }
}
