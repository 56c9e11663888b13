/** The profile table: one row per provider's profile of the person. */
import { column, SOURCE_COLUMNS, type SummaryTable } from './column.ts'

export const PROFILE: SummaryTable = {
  name: 'profile',
  meaning: 'Profiles of the person, one per provider',
  summary: 'profile',
  index: { kind: 'updated' },
  indexMeaning: 'Last update, UTC',
  columns: [
    column('height_centimeter', 'int', 'Height, cm', 'height'),
    column('birth_date', 'date', 'Date of birth'),
    column('wheelchair_use', 'bool', 'Whether a wheelchair is used'),
    column('gender', 'text', 'Gender: female, male, other or unknown'),
    column('sex', 'text', 'female, male or other'),
    {
      name: 'created_at',
      type: 'time',
      meaning: 'Time of creation, UTC',
      origin: { kind: 'stamp', field: 'createdAt' },
    },
    { name: 'updated_at', type: 'time', meaning: 'Last update, UTC', origin: { kind: 'stamp', field: 'updatedAt' } },
    ...SOURCE_COLUMNS,
  ],
  lists: [],
}
