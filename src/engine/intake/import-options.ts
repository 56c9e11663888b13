/** Parses a file's options: which user's data it contains, and how to read a table. */
import { SOURCE_TYPES } from '../../catalogue/source-types.ts'
import type { ImportContext } from '../../connectors/files/importer.ts'
import type { ColumnMapping } from '../../connectors/files/mapped/mapping.ts'
import type { HandlerInput } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { didYouMean, invalid, ServiceError } from '../../core/errors.ts'
import { knownProvider } from '../connections/providers.ts'
import type { EngineContext } from '../context.ts'

/** `mapping` is null if no columns, resource or unit were given. `timeZone` is null if times without an offset are in the user's zone. */
export type ImportOptions = Pick<ImportContext, 'provider' | 'sourceType' | 'dateOrder' | 'mapping' | 'timeZone'>

export type ImportQuery = HandlerInput<Operations['import.create']>['query']

/** The options that determine how a file is read, as they are kept with its import. */
export type KeptOptions = Pick<
  ImportQuery,
  'format' | 'provider' | 'source_type' | 'date_order' | 'keep_partial' | 'mapping'
> & {
  /** The zone of times without an offset: the request's, or the user's at the time of the import. */
  readonly time_zone: string | null
}

/** Returns the options to keep with an import. `format` is the detected one. */
export function optionsToKeep(query: ImportQuery, format: string, timeZone: string | null): KeptOptions {
  const { provider, source_type, date_order, keep_partial, mapping } = query
  return { format, provider, source_type, date_order, keep_partial, mapping, time_zone: timeZone }
}

/** Returns the options. Throws ServiceError (422) for an unknown provider, source type or mapping target. */
export async function importOptions(engine: EngineContext, query: ImportQuery): Promise<ImportOptions> {
  const { provider, source_type: sourceType, date_order: dateOrder, mapping } = query
  if (provider !== undefined) knownProvider(engine, provider, ['query', 'provider'])
  if (sourceType !== undefined) checkSourceType(sourceType)
  return {
    provider: provider ?? null,
    sourceType: sourceType ?? null,
    dateOrder: dateOrder ?? null,
    mapping: mapping === undefined ? null : await columnMapping(mapping),
    timeZone: mapping?.time_zone ?? null,
  }
}

async function columnMapping(given: NonNullable<ImportQuery['mapping']>): Promise<ColumnMapping | null> {
  const pairs = Object.entries(given.columns).map(([target, column]) => `${target}=${column}`)
  const resource = given.resource ?? null
  const unit = given.unit ?? null
  const where = Object.entries(given.where ?? {}).map(([column, value]) => ({ column, value }))
  if (pairs.length === 0 && resource === null && unit === null && where.length === 0) return null
  const { parseMapping } = await import('../../connectors/files/mapped/mapping.ts')
  try {
    return parseMapping(pairs, { resource, unit, timeZone: given.time_zone ?? null, where })
  } catch (error) {
    throw asRequestError(error)
  }
}

/**
 * Converts an importer's `usage` error (the context lacks a value that the format needs) to a 422, so that local and remote calls report
 * the same error.
 */
export function asRequestError(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'usage') return error
  return new ServiceError('invalid_request', error.message, { suggestions: error.suggestions, cause: error })
}

function checkSourceType(given: string): void {
  if ((SOURCE_TYPES as readonly string[]).includes(given)) return
  const hint = didYouMean(given, SOURCE_TYPES)
  const msg = `"${given}" is not one of the source types.${hint} Allowed: ${SOURCE_TYPES.join(', ')}`
  throw invalid([{ loc: ['query', 'source_type'], msg, type: 'enum' }])
}
