/** Import options. Most files do not need any. */
import { Fields } from '../../parts/form.tsx'
import type { ImportSettings } from './settings.ts'
import { TableFields } from './table-fields.tsx'

interface OptionsProps {
  readonly settings: ImportSettings
  /** False while the table fields are next to the file that needs them. */
  readonly hasTable: boolean
  readonly onChange: (settings: ImportSettings) => void
}

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
