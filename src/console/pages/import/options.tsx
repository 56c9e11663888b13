/** The options of an import. Most files need none. */
import { CheckField, SelectField, TextField } from '../../parts/field.tsx'
import type { Settings } from './settings.ts'

interface OptionsProps {
  readonly settings: Settings
  /** Whether a file needs one of the options that are usually folded. */
  readonly isOpen: boolean
  readonly onChange: (settings: Settings) => void
}

export function Options({ settings, isOpen, onChange }: OptionsProps) {
  const set = <K extends keyof Settings>(name: K, value: Settings[K]): void => onChange({ ...settings, [name]: value })
  return (
    <>
      <CheckField
        label="Check only"
        hint="Reads the whole file and reports, but stores nothing."
        isChecked={settings.isDryRun}
        onChange={value => set('isDryRun', value)}
      />
      <details class="import-options" open={isOpen}>
        <summary>Options for tables and damaged files</summary>
        <div class="stack">
          <CheckField
            label="Keep the part before the damage"
            hint="Otherwise a damaged or truncated file is refused as a whole."
            isChecked={settings.keepsPartial}
            onChange={value => set('keepsPartial', value)}
          />
          <div class="columns">
            <SelectField
              label="Dates such as 03/04/2021"
              value={settings.dateOrder}
              onChange={value => set('dateOrder', value as Settings['dateOrder'])} // the options are its values
              options={[
                { value: '', label: 'As the file shows' },
                { value: 'dmy', label: 'Day first' },
                { value: 'mdy', label: 'Month first' },
              ]}
            />
            <TextField
              label="Time zone of times without an offset"
              value={settings.timeZone}
              onInput={value => set('timeZone', value)}
              suggestions={Intl.supportedValuesOf('timeZone')}
              hint="By default the user's fallback time zone, then UTC"
            />
          </div>
          <TextField
            label="Columns of a table"
            lines={4}
            placeholder={'start=Time\nvalue=Steps'}
            value={settings.columns}
            onInput={value => set('columns', value)}
            hint="For a CSV or NDJSON file in no known format: one target=column per line. Targets are start, or date and time, then end, value, unit and others."
          />
          <div class="columns">
            <TextField
              label="Resource of a table"
              placeholder="steps"
              value={settings.resource}
              onInput={value => set('resource', value)}
            />
            <TextField
              label="Unit of a table"
              placeholder="count"
              value={settings.unit}
              onInput={value => set('unit', value)}
            />
          </div>
        </div>
      </details>
    </>
  )
}
