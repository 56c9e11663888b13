/**
 * The table of operations: the one place that says what is spoken. Client methods, server routes, validation, the in-process
 * call and /openapi.json are derived from it (design 2). Its parts stand in `operations/`, by topic.
 */
import { aggregateOperations } from './operations/aggregates.ts'
import { dataOperations } from './operations/data.ts'
import { deliveryOperations } from './operations/deliveries.ts'
import { engineOperations } from './operations/engine.ts'
import { eventOperations } from './operations/events.ts'
import { faultOperations } from './operations/faults.ts'
import { labOperations } from './operations/labs.ts'
import { linkOperations } from './operations/links.ts'
import { orderOperations } from './operations/orders.ts'
import { readingOperations } from './operations/readings.ts'
import { recordingOperations } from './operations/recordings.ts'
import { snapshotOperations } from './operations/snapshots.ts'
import { teamOperations } from './operations/teams.ts'
import { trialOperations } from './operations/trials.ts'
import { userRecordOperations } from './operations/user-records.ts'
import { userOperations } from './operations/users.ts'
import { webhookOperations } from './operations/webhooks.ts'

export const operations = {
  ...userOperations,
  ...userRecordOperations,
  ...linkOperations,
  ...readingOperations,
  ...aggregateOperations,
  ...labOperations,
  ...orderOperations,
  ...dataOperations,
  ...engineOperations,
  ...recordingOperations,
  ...teamOperations,
  ...trialOperations,
  ...eventOperations,
  ...webhookOperations,
  ...deliveryOperations,
  ...faultOperations,
  ...snapshotOperations,
} as const

export type Operations = typeof operations
export type OperationId = keyof Operations

export const operationIds = Object.keys(operations) as OperationId[]
