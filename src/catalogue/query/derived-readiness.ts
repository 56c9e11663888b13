/** The derived_readiness table: one row per calendar date and source, computed from that date's sleep and activity. */
import type { ColumnType, QueryColumn, ReadinessValue, SummaryTable } from './column.ts'

const value = (name: ReadinessValue, type: ColumnType, meaning: string): QueryColumn => ({
  name,
  type,
  meaning,
  origin: { kind: 'readiness', value: name },
})

export const DERIVED_READINESS: SummaryTable = {
  name: 'derived_readiness',
  meaning: 'Readiness by date and source, computed from sleep and activity',
  summary: null,
  index: { kind: 'date' },
  indexMeaning: 'Midnight of the calendar date',
  columns: [
    value('date', 'date', 'Calendar date'),
    value('chronotype', 'text', 'Chronotype of the main sleep: lark, third or owl'),
    value('sleep_score', 'int', 'Sleep score of the main sleep, 0 to 100'),
    value('recovery_score', 'int', 'Recovery relative to the 21-day baseline, 0 to 100'),
    value('recovery_zone', 'text', 'Red up to 33, Amber up to 66, Green from 67'),
    value('stress_score', 'int', '100 minus the recovery score'),
    value('strain_score', 'int', 'Activity load, 0 to 21'),
    value('strain_zone', 'text', 'Low up to 6, Moderate up to 13, High up to 17, Very High from 18'),
    value('source_type', 'text', 'Type of the source'),
    value('source_provider', 'text', 'Provider slug'),
    value('source_app_id', 'text', 'App of the main sleep, or else of the activity'),
    value('source_device_id', 'text', 'Device id of the main sleep, or else of the activity'),
  ],
  lists: [],
}
