/** Schemas of corrections: two sessions that a merge treats as the same night or workout, or as different ones. */
import * as z from 'zod'
import { component, dateTime, lowerUuid, strictComponent, userId } from '../kernel/primitives.ts'
import { SESSION_TABLES, storedSession } from './conflicts.ts'

export const correctionParams = () =>
  z.object({ user_id: userId(), session_id: lowerUuid(), other_session_id: lowerUuid() })

export const correctionsQuery = () =>
  z.object({ table: z.enum(SESSION_TABLES).optional().meta({ description: 'Only this table' }) })

const verdict = () => z.enum(['same', 'different'])

export const declareSessions = () =>
  strictComponent('DeclareSessions', {
    verdict: verdict().meta({ description: 'same: one night or workout. different: two of them' }),
  })

const correctedSession = () =>
  z.object({ ...storedSession(), provider: z.string().nullable(), source_type: z.string().nullable() })

export const correction = () =>
  component('Correction', {
    table: z.string().meta({ description: 'sleep or workout' }),
    verdict: verdict(),
    sessions: z.array(correctedSession()).meta({
      description: 'The two sessions, in the order of their IDs. One that is not stored at present has only its ID',
    }),
    declared_at: dateTime(),
  })

export const correctionList = () =>
  component('Corrections', { corrections: z.array(correction()).meta({ description: 'Newest first' }) })
