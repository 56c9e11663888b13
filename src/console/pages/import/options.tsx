/** The options of an import. Most files need none. */
import { CheckField, SelectField, TextField } from '../../parts/field.tsx'
import type { Settings } from './settings.ts'
import { TableFields } from './table-fields.tsx'

interface OptionsProps {
  readonly settings: Settings
  /** False while the fields of a table are beside the file that needs them. */
  readonly hasTable: boolean
  readonly onChange: (settings: Settings) => void
}

export function Options({ settings, hasTable, onChange }: OptionsProps) {
  const set = <K extends keyof Settings>(name: K, value: Settings[K]): void => onChange({ ...settings, [name]: value })
  return (
    <>
      <CheckField
        label="Check only"
        hint="Reads the whole file and reports, but stores nothing."
        isChecked={settings.isDryRun}
        onChange={value => set('isDryRun', value)}
      />
      <details class="import-options">
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
          {hasTable && <TableFields settings={settings} onChange={onChange} columns={[]} />}
        </div>
      </details>
    </>
  )
}
