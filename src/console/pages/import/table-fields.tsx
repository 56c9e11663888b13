/** Fields for mapping a table: the content of each column, and the resource that was measured. */
import { Fields } from '../../parts/form.tsx'
import { columnFor, type ImportSettings, withColumn } from './settings.ts'

interface TableFieldsProps {
  readonly settings: ImportSettings
  readonly onChange: (settings: ImportSettings) => void
  /** File columns to choose from; empty if they are not known yet. */
  readonly columns: readonly string[]
}

/** Targets that have a menu, and the content of their columns. The text area is for all other targets. */
const TARGETS = {
  start: 'Start, date and time',
  date: 'Date, if separate',
  time: 'Time, if separate',
  end: 'End',
  value: 'Value',
  unit: 'Unit',
} as const

export function TableFields({ settings, onChange, columns }: TableFieldsProps) {
  // the text has one line for each column, so a name with a line break cannot be chosen
  const choices = columns.filter(column => !column.includes('\n'))
  return (
    <>
      {choices.length > 0 && (
        <Fields
          of={{
            values: Object.fromEntries(Object.keys(TARGETS).map(target => [target, columnFor(settings, target)])),
            set: part =>
              onChange(
                Object.entries(part).reduce((all, [target, column = '']) => withColumn(all, target, column), settings),
              ),
          }}
          fields={[
            {
              legend: 'Columns of this file',
              class: 'import-columns',
              fields: Object.entries(TARGETS).map(([name, label]) => ({
                name,
                label,
                options: choicesWith(columnFor(settings, name), choices),
              })),
            },
          ]}
        />
      )}
      <Fields
        of={{ values: settings, set: part => onChange({ ...settings, ...part }) }}
        fields={[
          {
            class: 'columns',
            fields: [
              { name: 'resource', label: 'Resource of a table', placeholder: 'steps' },
              { name: 'unit', label: 'Unit of a table', placeholder: 'count' },
            ],
          },
          {
            name: 'columns',
            label: 'Columns of a table',
            lines: 4,
            placeholder: 'start=Time\nvalue=Steps',
            hint: 'For a CSV or NDJSON file in no known format: one target=column per line. Targets are start, or date and time, then end, value, unit and others.',
          },
          {
            name: 'where',
            label: 'Rows of a table',
            lines: 2,
            placeholder: 'Id=123',
            hint: 'Only the rows with these values: one column=value per line. By default, all rows are read.',
          },
        ]}
      />
    </>
  )
}

/** Returns the columns to choose from, including a typed column that is not in the file. */
const choicesWith = (chosen: string, columns: readonly string[]) => [
  { value: '', label: 'None' },
  ...(chosen === '' || columns.includes(chosen) ? columns : [chosen, ...columns]),
]
