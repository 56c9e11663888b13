/** Tracks whether the data folder's disk is full. Once a failed write reports a full disk, the watch checks until there is space again. */
import { ServiceError } from '../../core/errors.ts'

const LOOK_MS = 2_000
const LINE_EVERY_MS = 60_000

export interface DiskWatchOptions {
  /** Throws `disk_full` if the store cannot be written because there is no space. */
  readonly checkRoom: () => Promise<void>
  readonly log: (line: string) => void
  /** Called when there is space again. */
  readonly onRoom?: () => void
  readonly lookMs?: number
}

export class DiskWatch {
  private readonly options: DiskWatchOptions
  private isFullNow = false
  private looking: Promise<void> | null = null
  private timer: NodeJS.Timeout | undefined
  private loggedAt = Number.NEGATIVE_INFINITY
  private isLogged = false
  private isStopped = false

  constructor(options: DiskWatchOptions) {
    this.options = options
  }

  /** Reports an error to the watch. Returns true if the disk is full, which is logged at most once a minute. */
  report(error: unknown): boolean {
    if (!(error instanceof ServiceError) || error.code !== 'disk_full') return false
    this.log(error.message)
    // one write that is too large for the remaining space does not mean that the disk is full for others
    if (!this.isFullNow) this.begin()
    return true
  }

  /** Returns whether there is no space even for a small write. Waits for a check in progress. */
  async isFull(): Promise<boolean> {
    await this.looking
    return this.isFullNow
  }

  async stop(): Promise<void> {
    this.isStopped = true
    clearTimeout(this.timer)
    await this.looking
  }

  private begin(): void {
    if (this.isStopped) return
    this.looking ??= this.look().finally(() => {
      this.looking = null
    })
  }

  private async look(): Promise<void> {
    const wasFull = this.isFullNow
    try {
      await this.options.checkRoom()
      this.isFullNow = false
    } catch (error) {
      // other problems are reported elsewhere
      this.isFullNow = error instanceof ServiceError && error.code === 'disk_full'
      if (this.isFullNow) this.log((error as ServiceError).message)
    }
    if (this.isFullNow) this.lookAgain()
    else if (wasFull) this.announceRoom()
  }

  private lookAgain(): void {
    if (this.isStopped) return
    this.timer = setTimeout(() => this.begin(), this.options.lookMs ?? LOOK_MS)
    this.timer.unref()
  }

  private log(words: string): void {
    const now = performance.now()
    if (now - this.loggedAt < LINE_EVERY_MS) return
    this.loggedAt = now
    this.isLogged = true
    this.options.log(`disk_full: ${words} Writes get a 507 response until there is space again.`)
  }

  private announceRoom(): void {
    if (this.isLogged) this.options.log('there is space on the disk again')
    this.isLogged = false
    this.options.onRoom?.()
  }
}
