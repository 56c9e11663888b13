/**
 * The operations table: the single source for client methods, server routes, validation, in-process calls and /openapi.json. Its parts are
 * grouped by topic. See docs/architecture.md.
 */
import { aggregateOperations } from './aggregates/operations.ts'
import { faultOperations } from './engine/fault-operations.ts'
import { engineOperations } from './engine/operations.ts'
import { recordingOperations } from './engine/recording-operations.ts'
import { trialOperations } from './engine/seed-operations.ts'
import { snapshotOperations } from './engine/snapshot-operations.ts'
import { eventOperations } from './events/operations.ts'
import { dataOperations } from './intake/operations.ts'
import { labOperations } from './labs/operations.ts'
import { linkOperations } from './links/operations.ts'
import { orderOperations } from './orders/operations.ts'
import { providerOperations } from './providers/operations.ts'
import { readingOperations } from './readings/operations.ts'
import { teamOperations } from './teams/operations.ts'
import { personOperations } from './teams/person-operations.ts'
import { userOperations } from './users/operations.ts'
import { userRecordOperations } from './users/record-operations.ts'
import { deliveryOperations } from './webhooks/delivery-operations.ts'
import { webhookOperations } from './webhooks/operations.ts'

export const operations = {
  ...userOperations,
  ...userRecordOperations,
  ...linkOperations,
  ...providerOperations,
  ...readingOperations,
  ...aggregateOperations,
  ...labOperations,
  ...orderOperations,
  ...dataOperations,
  ...engineOperations,
  ...recordingOperations,
  ...teamOperations,
  ...personOperations,
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
