/** The body table: one row per measurement, taken on a scale or entered by hand. */
import { column, SOURCE_COLUMNS, type SummaryTable } from './column.ts'

export const BODY: SummaryTable = {
  name: 'body',
  meaning: 'Body measurements',
  summary: 'body',
  index: { kind: 'at' },
  indexMeaning: 'Time of the measurement, local time',
  columns: [
    { name: 'measured_at', type: 'time', meaning: 'Time of the measurement, local time', origin: { kind: 'index' } },
    column('weight_kilogram', 'float', 'Weight, kg', 'weight'),
    column('fat_mass_percentage', 'float', 'Body fat, %', 'fat'),
    column('water_percentage', 'float', 'Water, %'),
    column('muscle_mass_percentage', 'float', 'Muscle mass, %'),
    column('visceral_fat_index', 'float', 'Visceral fat, index'),
    column('bone_mass_percentage', 'float', 'Bone mass, %'),
    column('body_mass_index', 'float', 'Body mass index'),
    column('lean_body_mass_kilogram', 'float', 'Lean body mass, kg'),
    column('waist_circumference_centimeter', 'float', 'Waist circumference, cm'),
    column('time_zone', 'text', 'IANA time zone, if the source reports it'),
    ...SOURCE_COLUMNS,
  ],
  lists: [],
}
