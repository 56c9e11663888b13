/** Method and path of every operation, inserted by scripts/console.mjs from the operations table. */
import type { OperationId } from '../../contract/operations.ts'

declare const __ROUTES__: Readonly<Record<OperationId, string>>

/** Routes by operation, such as `GET /v2/user/{user_id}`. */
export const ROUTES = __ROUTES__
