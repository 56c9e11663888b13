/** Import options, with the fields for reading a table: the content of each column, the resource that was measured, and how dates are written. */
import { firstRows, separatorOf } from '../../../core/csv/text.ts'
import { useLoader } from '../../api/use-call.ts'
import { type Entry, Fields } from '../../parts/form.tsx'
import { Name } from '../../parts/small.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { type ImportSettings, targetOf, type Upload, withTarget } from './uploads.ts'

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

const HEAD_BYTES = 65_536
/** A header may follow this many rows, as in the importer. */
const MOST_ABOVE = 50
const SHOWN_ROWS = 5

/** Targets that have an entry in the menus. The text field is for all other targets. */
const TARGETS: Readonly<Record<string, string>> = {
  '': 'Not used',
  start: 'Start, date and time',
  date: 'Date, if separate',
  time: 'Time, if separate',
  end: 'End',
  value: 'Value',
  unit: 'Unit',
  systolic: 'Systolic pressure',
  diastolic: 'Diastolic pressure',
  resource: 'Resource',
  timezone_offset: 'Time zone offset',
}

interface PreviewProps {
  readonly upload: Upload
  readonly settings: ImportSettings
  readonly onChange: (settings: ImportSettings) => void
}

/** The first rows of a table, with a menu for each column. The browser reads them from the file, and they are not sent. */
function Preview({ upload: { id, file, columns }, settings, onChange }: PreviewProps) {
  // settings have one line for each column, so a name with a line break cannot be chosen
  const names = columns.filter(column => !column.includes('\n'))
  const { data: rows = [] } = useLoader(`${id} ${columns.join()}`, () => readRows(file, names))
  const shown = names.map(
    (name, index): Column<readonly string[] | null> => ({
      title: name,
      cell: row => {
        if (row !== null) return <Name>{row[index] ?? ''}</Name>
        const target = targetOf(settings, name)
        return (
          <select
            class="input"
            aria-label={`Content of ${name}`}
            value={target}
            onChange={event => onChange(withTarget(settings, name, event.currentTarget.value))}
          >
            {Object.entries(target in TARGETS ? TARGETS : { ...TARGETS, [target]: target }).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        )
      },
    }),
  )
  return (
    <Table
      label="Columns and first rows of this file"
      columns={shown}
      rows={[null, ...rows]}
      rowKey={row => (row === null ? 'menus' : `${rows.indexOf(row)}`)}
    />
  )
}

/** Returns the cells of these columns in the first rows below the header; no rows if the header is not found. */
async function readRows(file: File, columns: readonly string[]): Promise<readonly (readonly string[])[]> {
  const text = await file.slice(0, HEAD_BYTES).text()
  const all = firstRows(text, separatorOf(text), MOST_ABOVE + SHOWN_ROWS + 1)
  // the text may end inside the last row
  const rows = file.size > HEAD_BYTES ? all.slice(0, -1) : all
  const header = rows.findIndex(cells => columns.every(name => cells?.some(cell => cell.trim() === name)))
  if (header < 0) return []
  const places = columns.map(name => rows[header]?.findIndex(cell => cell.trim() === name) ?? -1)
  return rows.slice(header + 1, header + 1 + SHOWN_ROWS).map(cells => places.map(at => cells?.[at] ?? ''))
}

interface OptionsProps {
  readonly settings: ImportSettings
  /** False while the table fields are next to the file that needs them. */
  readonly hasTable: boolean
  readonly onChange: (settings: ImportSettings) => void
}

/** Import options. Most files do not need any. */
export function Options({ settings, hasTable, onChange }: OptionsProps) {
  const of = { values: settings, set: (part: Partial<ImportSettings>) => onChange({ ...settings, ...part }) }
  return (
    <>
      <Fields
        of={of}
        fields={[
          {
            name: 'isDryRun',
            type: 'check',
            label: 'Check only',
            hint: 'Reads the whole file and reports the result, but stores nothing.',
          },
        ]}
      />
      <details class="import-options">
        <summary>Options for tables and damaged files</summary>
        <div class="stack">
          <Fields
            of={of}
            fields={[
              {
                name: 'keepsPartial',
                type: 'check',
                label: 'Keep the part before the damage',
                hint: 'Otherwise, a damaged or truncated file is refused completely.',
              },
            ]}
          />
          {hasTable && <TableFields settings={settings} onChange={onChange} />}
        </div>
      </details>
    </>
  )
}
