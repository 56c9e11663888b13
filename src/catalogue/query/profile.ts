/** The profile table: a row a provider's profile of the person (interface-gaps 4.9). */
import { column, SOURCE_COLUMNS, type SummaryTable } from './column.ts'

export const PROFILE: SummaryTable = {
  name: 'profile',
  meaning: 'Profiles of the person, one a provider',
  summary: 'profile',
  index: { kind: 'updated' },
  indexMeaning: 'Last update, UTC',
  columns: [
    column('height_centimeter', 'float', 'Height, cm', 'height'),
    column('birth_date', 'date', 'Date of birth'),
    column('wheelchair_use', 'bool', 'Whether a wheelchair is used'),
    column('gender', 'text', 'Gender: female, male, other or unknown'),
    column('sex', 'text', 'female, male or other'),
    { name: 'created_at', type: 'time', meaning: 'First told, UTC', origin: { kind: 'stamp', field: 'createdAt' } },
    { name: 'updated_at', type: 'time', meaning: 'Last update, UTC', origin: { kind: 'stamp', field: 'updatedAt' } },
    ...SOURCE_COLUMNS,
  ],
  lists: [],
}
