/** Describes the event types: each type's subject, webhook body schema and example. */
import { describeEventType } from '../../catalogue/event-descriptions.ts'
import { eventTypesAt, matchesType, resourceEvent } from '../../catalogue/event-types.ts'
import { eventBody } from '../../contract/events/event-payload.ts'
import { schemaOnItsOwn } from '../../contract/kernel/json-schema.ts'
import { didYouMean, ServiceError } from '../../core/errors.ts'
import type { UserId } from '../../core/ids.ts'
import { type Handler, ok } from '../context.ts'
import { exampleBody } from './examples/example.ts'

export const listEventTypes: Handler<'event.types'> = async (_engine, { query }, call) => {
  const patterns = query.type?.split(',') ?? ['*']
  const types = eventTypesAt(call.compatibilityDate)
  return ok({
    data: types.filter(type => patterns.some(pattern => matchesType(pattern, type))).map(typeSummary),
  })
}

/** The fictional user in the example. */
const NOBODY = 'f0f0f0f0-0000-4000-8000-000000000001' as UserId
const NOBODYS_NAME = 'ada'

export const getEventType: Handler<'event.type'> = async (_engine, { params }, call) => {
  const types = eventTypesAt(call.compatibilityDate)
  const schema = types.includes(params.type) ? eventBody(params.type) : undefined
  if (!schema) {
    throw new ServiceError('not_found', `There is no event type with this name.${didYouMean(params.type, types)}`, {
      suggestions: ['`svc event types` lists the event types.'],
    })
  }
  const example = exampleBody(params.type, {
    teamId: call.team.teamId,
    userId: NOBODY,
    clientUserId: NOBODYS_NAME,
    at: call.now,
    compatibilityDate: call.compatibilityDate,
  })
  return ok({ ...typeSummary(params.type), schema: schemaOnItsOwn(schema), example: { ...example } })
}

function typeSummary(type: string) {
  return { type, description: describeEventType(type), resource: resourceEvent(type)?.resource ?? null }
}
