/** Replaces the live connectors in these tests: the test connector is the only one. */
import { TEST_PROVIDER, testConnector } from '../../providers/test-connector.ts'

export const LIVE_PROVIDERS = [TEST_PROVIDER]

export const liveConnector = async (provider: string) => (provider === TEST_PROVIDER ? testConnector : null)
