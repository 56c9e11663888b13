/** The types of `server.mjs`, for the tests that use it. */
import type { Member, ProcessGroup } from './process-group.d.mts'

export interface PostgresServerOptions {
  readonly name?: string
  readonly port?: number
  readonly group?: ProcessGroup
  readonly isDurable?: boolean
  readonly password?: string
  readonly settings?: Readonly<Record<string, string | number>>
  readonly env?: Readonly<Record<string, string>>
}

export class PostgresServer {
  readonly name: string
  readonly programs: string
  readonly group: ProcessGroup
  readonly password: string | undefined
  readonly port: number
  readonly env: Readonly<Record<string, string>> | undefined
  readonly data: string
  readonly process: Member
  readonly pid: number
  url(database: string): string
  start(): Promise<void>
  sql(...statements: readonly string[]): Promise<string>
  sqlIn(database: string, ...statements: readonly string[]): Promise<string>
  run(program: string, args: readonly string[]): Promise<string>
  stop(): Promise<void>
  promote(): Promise<void>
  kill(): Promise<void>
}

export function startPostgres(options?: PostgresServerOptions): Promise<PostgresServer>
export function startStandby(primary: PostgresServer, name?: string): Promise<PostgresServer>
export function freePort(): Promise<number>
