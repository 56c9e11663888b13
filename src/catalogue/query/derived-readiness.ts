/** The derived_readiness table: a row a calendar date and source, computed of its sleep and activity (interface-gaps 4.9). */
import type { ColumnType, QueryColumn, ReadinessValue, SummaryTable } from './column.ts'

const value = (name: ReadinessValue, type: ColumnType, meaning: string): QueryColumn => ({
  name,
  type,
  meaning,
  origin: { kind: 'readiness', value: name },
})

export const DERIVED_READINESS: SummaryTable = {
  name: 'derived_readiness',
  meaning: 'Readiness by date and source, computed of sleep and activity',
  summary: null,
  index: { kind: 'date' },
  indexMeaning: 'Midnight of the calendar date',
  columns: [
    value('date', 'date', 'Calendar date'),
    value('chronotype', 'text', 'lark, third or owl, of the main sleep'),
    value('sleep_score', 'int', 'Sleep score of the main sleep, 0 to 100'),
    value('recovery_score', 'int', 'Recovery against the baseline of 21 days, 0 to 100'),
    value('recovery_zone', 'text', 'Red to 33, Amber to 66, Green from 67'),
    value('stress_score', 'int', '100 less the recovery score'),
    value('strain_score', 'int', 'Load of the activity, 0 to 21'),
    value('strain_zone', 'text', 'Low to 6, Moderate to 13, High to 17, Very High from 18'),
    value('source_type', 'text', 'Type of the source'),
    value('source_provider', 'text', 'Provider slug'),
    value('source_app_id', 'text', 'App of the main sleep, else of the activity'),
    value('source_device_id', 'text', 'Device id of the main sleep, else of the activity'),
  ],
  lists: [],
}
