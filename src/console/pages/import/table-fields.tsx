/** How the columns of a table are read: which column holds what, and what the rows measure. */
import { SelectField, TextField } from '../../parts/field.tsx'
import { columnFor, type Settings, withColumn } from './settings.ts'

interface TableFieldsProps {
  readonly settings: Settings
  readonly onChange: (settings: Settings) => void
  /** Columns of the file to choose from; empty if they are not known yet. */
  readonly columns: readonly string[]
}

/** The targets that have a menu, and what their columns hold; the lines of the text take all others. */
const TARGETS = {
  start: 'Start, date and time',
  date: 'Date, if apart',
  time: 'Time, if apart',
  end: 'End',
  value: 'Value',
  unit: 'Unit',
} as const

export function TableFields({ settings, onChange, columns }: TableFieldsProps) {
  // the text has a line for each column
  const choices = columns.filter(column => !column.includes('\n'))
  return (
    <>
      {choices.length > 0 && (
        <fieldset class="import-columns">
          <legend>Columns of this file</legend>
          {Object.entries(TARGETS).map(([target, label]) => (
            <SelectField
              key={target}
              label={label}
              value={columnFor(settings, target)}
              options={optionsOf(choices, columnFor(settings, target))}
              onChange={column => onChange(withColumn(settings, target, column))}
            />
          ))}
        </fieldset>
      )}
      <div class="columns">
        <TextField
          label="Resource of a table"
          placeholder="steps"
          value={settings.resource}
          onInput={resource => onChange({ ...settings, resource })}
        />
        <TextField
          label="Unit of a table"
          placeholder="count"
          value={settings.unit}
          onInput={unit => onChange({ ...settings, unit })}
        />
      </div>
      <TextField
        label="Columns of a table"
        lines={4}
        placeholder={'start=Time\nvalue=Steps'}
        value={settings.columns}
        onInput={text => onChange({ ...settings, columns: text })}
        hint="For a CSV or NDJSON file in no known format: one target=column per line. Targets are start, or date and time, then end, value, unit and others."
      />
      <TextField
        label="Rows of a table"
        lines={2}
        placeholder="Id=123"
        value={settings.where}
        onInput={where => onChange({ ...settings, where })}
        hint="Only the rows with these values: one column=value per line. By default, all rows are read."
      />
    </>
  )
}

/** A column that was typed may not be one of the file; the menu shows it all the same. */
function optionsOf(columns: readonly string[], chosen: string) {
  const all = chosen === '' || columns.includes(chosen) ? columns : [chosen, ...columns]
  return [{ value: '', label: 'None' }, ...all.map(column => ({ value: column, label: column }))]
}
