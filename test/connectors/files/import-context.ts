/** The context that an importer gets, with nothing set unless a test sets it. */
import { join } from 'node:path'
import { SHIPPED_REGISTRY } from '../../../src/catalogue/providers.ts'
import type { ImportContext } from '../../../src/connectors/files/importer.ts'
import type { UserId } from '../../../src/core/ids.ts'
import { temporaryFolder } from '../../kit/folder.ts'

export const USER = '0f0e0d0c-0b0a-4000-8000-000000000001' as UserId // any ID, because the importers only pass it on
export const NOW = Date.UTC(2026, 0, 10)

export function importContext(more: Partial<ImportContext> = {}): ImportContext {
  return {
    userId: USER,
    providers: SHIPPED_REGISTRY,
    timeZone: null,
    now: NOW,
    signal: undefined,
    onProgress: () => {},
    provider: null,
    sourceType: null,
    dateOrder: null,
    mapping: null,
    documentProblem: () => undefined,
    scratchFile: () => join(temporaryFolder(), 'scratch'),
    ...more,
  }
}
