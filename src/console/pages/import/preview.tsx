/** The first rows of a table, with a menu for each column. The browser reads them from the file, and they are not sent. */
import { firstRows, separatorOf } from '../../../core/csv/text.ts'
import { useLoader } from '../../api/use-call.ts'
import { Name } from '../../parts/name.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { type ImportSettings, targetOf, withTarget } from './settings.ts'
import type { Upload } from './uploads.ts'

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

export function Preview({ upload: { id, file, columns }, settings, onChange }: PreviewProps) {
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
