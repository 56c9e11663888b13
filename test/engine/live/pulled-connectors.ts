/** Replaces the live connectors in tests of pulls. A test can change a part of the connector. */
import type { LiveConnector } from '../../../src/connectors/live/live-connector.ts'
import { pulledConnector } from '../../providers/pulled-connector.ts'
import { TEST_PROVIDER } from '../../providers/test-connector.ts'

/** A provider in addition to the harness's own. */
export const OTHER_PROVIDER = 'fitbit'
export const LIVE_PROVIDERS = [TEST_PROVIDER, OTHER_PROVIDER]

let changed: Partial<LiveConnector> = {}

/** Changes parts of the connector until the next call. */
export function changeConnector(parts: Partial<LiveConnector>): void {
  changed = parts
}

export const liveConnector = async (provider: string) =>
  LIVE_PROVIDERS.includes(provider) ? { ...pulledConnector, provider, ...changed } : null
