/** The flags for the fields that a new user can have. */
import { string } from '@oclif/core/flags'
import { WHEN_HELP } from '../arguments/when.ts'

export const userFlags = () => ({
  'fallback-time-zone': string({
    description: 'Time zone for sources without one, as a tz database name',
    helpValue: 'ZONE',
  }),
  'fallback-birth-date': string({
    description: 'Birth date for providers that do not report an age',
    helpValue: 'YYYY-MM-DD',
  }),
  'ingestion-start': string({ description: `First day for which data is stored: ${WHEN_HELP}`, helpValue: 'DATE' }),
  'ingestion-end': string({ description: 'Last day for which data is stored', helpValue: 'DATE' }),
})
