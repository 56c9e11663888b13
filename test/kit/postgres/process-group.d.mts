/** The types of `process-group.mjs`, for the tests that use it. */

export interface Owner {
  readonly uid: number
  readonly gid: number
}

export interface Member {
  readonly name: string
  readonly pid: number
  readonly isRunning: boolean
  readonly ended: Promise<void>
  log(): string
  signal(name: NodeJS.Signals): void
  stop(signal?: NodeJS.Signals): Promise<void>
  ready<T>(isReady: () => T | Promise<T>, mostMs?: number): Promise<T>
}

export function memoryFolder(): string | undefined

export class ProcessGroup {
  constructor(name: string, owner?: Owner, parent?: string)
  readonly folder: string
  run(command: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>
  start(name: string, command: string, args: readonly string[], env?: Readonly<Record<string, string>>): Member
  stop(): Promise<void>
  kill(): Promise<void>
}
