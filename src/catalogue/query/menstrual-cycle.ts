/** The menstrual_cycle table: one row per cycle, with ten lists of daily entries. */
import { type ColumnType, column, type ListColumn, SOURCE_COLUMNS, type SummaryTable } from './column.ts'

/** Describes a list of days. Each day has a date and optionally one entry. */
function days(name: string, meaning: string, noted?: readonly [string, ColumnType, string]): ListColumn {
  const date = { name: 'date', type: 'date', meaning: 'Day' } as const
  const fields = noted ? [date, { name: noted[0], type: noted[1], meaning: noted[2] }] : [date]
  return { name, meaning, elements: 'struct', fields }
}

export const MENSTRUAL_CYCLE: SummaryTable = {
  name: 'menstrual_cycle',
  meaning: 'Menstrual cycles',
  summary: 'menstrual_cycle',
  index: { kind: 'document_date', key: 'period_start' },
  indexMeaning: 'Midnight of the first day of the period',
  columns: [
    { name: 'period_start', type: 'date', meaning: 'First day of the period', origin: { kind: 'index' } },
    column('period_end', 'date', 'Last day of the period; null while it is ongoing'),
    column('cycle_end', 'date', 'Last day of the cycle; null while it is ongoing'),
    column('is_predicted', 'bool', 'Whether the cycle is a prediction'),
    ...SOURCE_COLUMNS,
  ],
  lists: [
    days('menstrual_flow', 'Days of bleeding', ['flow', 'text', 'unspecified, none, light, medium or heavy']),
    days('cervical_mucus', 'Days with cervical mucus', ['quality', 'text', 'dry, sticky, creamy, watery or egg_white']),
    days('intermenstrual_bleeding', 'Days of bleeding between periods'),
    days('contraceptive', 'Days of contraception', ['type', 'text', 'implant, injection, iud, oral, patch …']),
    days('detected_deviations', 'Detected deviations', ['deviation', 'text', 'Kind of the deviation']),
    days('ovulation_test', 'Ovulation tests', ['test_result', 'text', 'negative, positive, …_surge or indeterminate']),
    days('home_pregnancy_test', 'Pregnancy tests', ['test_result', 'text', 'negative, positive or indeterminate']),
    days('home_progesterone_test', 'Progesterone tests', [
      'test_result',
      'text',
      'negative, positive or indeterminate',
    ]),
    days('sexual_activity', 'Days of sexual activity', ['protection_used', 'bool', 'Whether protection was used']),
    days('basal_body_temperature', 'Basal body temperatures', ['value', 'float', 'Temperature, °C']),
  ],
}
