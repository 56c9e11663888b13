/** The types of `citus.mjs`, for the tests that use it. */
import { PostgresMissing } from './binaries.d.mts'
import type { ProcessGroup } from './process-group.d.mts'
import type { PostgresServer, PostgresServerOptions } from './server.d.mts'

export class CitusMissing extends PostgresMissing {}
export function findCitus(env?: Readonly<Record<string, string | undefined>>): {
  readonly folder: string
  readonly version: number
}
export function hasCitus(env?: Readonly<Record<string, string | undefined>>): boolean

export interface CitusOptions extends Pick<PostgresServerOptions, 'group' | 'port' | 'isDurable' | 'settings'> {
  readonly workers?: number
  readonly passwords?: Readonly<Record<string, string>>
}

export class CitusCluster {
  readonly coordinator: PostgresServer
  readonly workers: PostgresServer[]
  readonly servers: readonly PostgresServer[]
  readonly group: ProcessGroup
  url(database: string): string
  everywhere(...statements: readonly string[]): Promise<void>
  createDatabase(name: string, options?: string): Promise<void>
  addWorker(): Promise<PostgresServer>
  rebalance(database: string): Promise<void>
  removeWorker(worker: PostgresServer): Promise<void>
  shards(database: string): Promise<Record<number, number>>
  stop(): Promise<void>
}

export function startCitus(options?: CitusOptions): Promise<CitusCluster>
export function membership(
  coordinator: { readonly port: number },
  workers: readonly { readonly port: number }[],
): string[]
