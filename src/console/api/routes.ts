/** Method and path of every operation, which scripts/console.mjs puts here from the table of operations. */
import type { OperationId } from '../../contract/operations.ts'

declare const __ROUTES__: Readonly<Record<OperationId, string>>

/** By operation: `GET /v2/user/{user_id}`. */
export const ROUTES = __ROUTES__
