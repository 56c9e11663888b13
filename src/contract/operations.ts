/**
 * The table of operations: the one place that says what is spoken. Client methods, server routes, validation, the in-process
 * call and /openapi.json are derived from it (design 2). Its parts stand in `operations/`, by topic.
 */
import { aggregateOperations } from './operations/aggregates.ts'
import { dataOperations } from './operations/data.ts'
import { engineOperations } from './operations/engine.ts'
import { labOperations } from './operations/labs.ts'
import { linkOperations } from './operations/links.ts'
import { orderOperations } from './operations/orders.ts'
import { readingOperations } from './operations/readings.ts'
import { teamOperations } from './operations/teams.ts'
import { userRecordOperations } from './operations/user-records.ts'
import { userOperations } from './operations/users.ts'

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
  ...teamOperations,
} as const

export type Operations = typeof operations
export type OperationId = keyof Operations

export const operationIds = Object.keys(operations) as OperationId[]
