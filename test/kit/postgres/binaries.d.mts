/** The types of `binaries.mjs`, for the tests that use it. */
import type { Owner } from './process-group.d.mts'

export const LEAST_VERSION: number
export class PostgresMissing extends Error {}
export function findPostgres(env?: Readonly<Record<string, string | undefined>>): {
  readonly folder: string
  readonly version: number
}
export function postgresOwner(): Owner | undefined
