/** Schemas of the operator operations on the audit trail and on deprecations. */
import * as z from 'zod'
import { component, date, dateOrDateTime, dateTime, teamId, wholeNumber } from '../kernel/primitives.ts'

/** Filters for the audit trail, with at most 500 entries per page. */
export const auditQuery = () =>
  z.object({
    team_id: teamId().optional(),
    operation: z.string().max(64).optional().meta({ description: 'Operation id, for example user.create' }),
    since: dateOrDateTime().optional(),
    limit: wholeNumber(1, 500).default(100),
    next_cursor: z.string().max(512).nullish(),
  })

export const auditPage = () =>
  component('AuditPage', {
    entries: z.array(
      z.object({
        entry_id: z.string(),
        at: dateTime(),
        team_id: z.string().meta({ description: "Id of the caller's team" }),
        actor: z.string().meta({
          description: 'Caller: local, link_token, or key: or person: followed by the ID of the key or person',
        }),
        // absent in responses of services that have no people
        person: z.string().nullable().optional().meta({ description: 'Name of the person; null for other callers' }),
        operation: z.string(),
        object: z.record(z.string(), z.string()).meta({ description: 'Ids of the affected objects, by name' }),
        outcome: z.string().meta({ description: 'ok, or the error code' }),
      }),
    ),
    next_cursor: z.string().nullable(),
  })

/** Deprecations. A deprecated item with a date works until the compatibility date reaches that date. */
export const deprecationList = () =>
  component('DeprecationList', {
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
