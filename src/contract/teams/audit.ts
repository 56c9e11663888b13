/** Our own operations that look back and ahead: the audit trail, and what was announced to go. */
import { z } from 'zod'
import { date, dateOrDateTime, dateTime, teamId, wholeNumber } from '../kernel/primitives.ts'

/** Entries of a page; 500 at most. */
export const auditQuery = () =>
  z.object({
    team_id: teamId().optional(),
    operation: z.string().max(64).optional().meta({ description: 'Operation id, for example user.create' }),
    since: dateOrDateTime().optional(),
    limit: wholeNumber(1, 500).default(100),
    next_cursor: z.string().max(512).nullish(),
  })

export const auditPage = () =>
  z
    .object({
      entries: z.array(
        z.object({
          entry_id: z.string(),
          at: dateTime(),
          team_id: z.string().meta({ description: 'Team of the caller' }),
          actor: z.string().meta({ description: 'local, link_token, or key: followed by the key id' }),
          operation: z.string(),
          object: z.record(z.string(), z.string()).meta({ description: 'Ids of the objects, by name' }),
          outcome: z.string().meta({ description: 'ok, or the error code' }),
        }),
      ),
      next_cursor: z.string().nullable(),
    })
    .meta({ id: 'AuditPage' })

/** A dated thing is served while its day is still to come, seen from the compatibility date. */
export const deprecationList = () =>
  z
    .object({
      compatibility_date: date(),
      deprecations: z.array(
        z.object({
          name: z.string(),
          kind: z.enum(['operation', 'input', 'field']),
          what: z.string(),
          replaced_by: z.string(),
          removed_on: date().nullable(),
          is_served: z.boolean(),
        }),
      ),
    })
    .meta({ id: 'DeprecationList' })
