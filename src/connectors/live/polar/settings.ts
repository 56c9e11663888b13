/** Settings for properties of Polar's times that have no first-hand source. */
import type { ProviderApp } from '../../provider-session.ts'
import type { ConnectorSetting } from '../live-connector.ts'

const READINGS = ['local', 'utc'] as const

export const SETTINGS = [
  {
    name: 'activity_times',
    description: 'How to read times of daily activity without an offset',
    default: 'local',
    values: READINGS,
  },
  {
    name: 'heart_rate_times',
    description: 'How to read times of the continuous heart rate',
    default: 'local',
    values: READINGS,
  },
] as const satisfies readonly ConnectorSetting[]

/** Returns whether to read times as local or as UTC, according to the setting. */
export function chooseReading(app: ProviderApp, name: (typeof SETTINGS)[number]['name']): (typeof READINGS)[number] {
  return app.settings[name] === 'utc' ? 'utc' : 'local'
}
