/** Fields for reading a table: the content of each column, the resource that was measured, and how dates are written. */
import { type Entry, Fields } from '../../parts/form.tsx'
import { Preview } from './preview.tsx'
import type { ImportSettings } from './settings.ts'
import type { Upload } from './uploads.ts'

interface TableFieldsProps {
  readonly settings: ImportSettings
  readonly onChange: (settings: ImportSettings) => void
  /** The refused file, whose columns and problem are shown; absent while no file needs the fields. */
  readonly upload?: Upload
}

const DATE_ORDERS = [
  { value: '', label: 'Detect from the file' },
  { value: 'dmy', label: 'Day first' },
  { value: 'mdy', label: 'Month first' },
]

export const TABLE_FIELDS: readonly Entry<ImportSettings>[] = [
  {
    class: 'columns',
    fields: [
      { name: 'resource', path: 'mapping.resource', label: 'Resource of a table', placeholder: 'steps' },
      { name: 'unit', path: 'mapping.unit', label: 'Unit of a table', placeholder: 'count' },
      { name: 'dateOrder', path: 'date_order', label: 'Dates such as 03/04/2021', options: DATE_ORDERS },
      {
        name: 'timeZone',
        path: 'mapping.time_zone',
        label: 'Time zone for times without an offset',
        suggestions: Intl.supportedValuesOf('timeZone'),
        hint: "By default the user's fallback time zone, then UTC",
      },
    ],
  },
  {
    name: 'columns',
    path: 'mapping.columns',
    label: 'Columns of a table',
    lines: 4,
    placeholder: 'start=Time\nvalue=Steps',
    hint: 'For a CSV or NDJSON file in no known format: one target=column per line. Targets are start, or date and time, then end, value, unit and others.',
  },
  {
    name: 'where',
    path: 'mapping.where',
    label: 'Rows of a table',
    lines: 2,
    placeholder: 'Id=123',
    hint: 'Only the rows with these values: one column=value per line. By default, all rows are read.',
  },
]

export function TableFields({ settings, onChange, upload }: TableFieldsProps) {
  const problem = upload?.state.name === 'failed' ? upload.state.problem : null
  const set = (part: Partial<ImportSettings>): void => onChange({ ...settings, ...part })
  return (
    <>
      {upload && upload.columns.length > 0 && <Preview upload={upload} settings={settings} onChange={onChange} />}
      <Fields of={{ values: settings, set, problem }} fields={TABLE_FIELDS} />
    </>
  )
}
