/** Schemas of the operator operation that exports one user as lines of JSON. See docs/samples.md. */
import * as z from 'zod'
import { userId } from '../kernel/primitives.ts'

export const userExportParams = () => z.object({ user_id: userId() })

/** One item per line; src/connectors/files/items/svc-export.ts describes the items. */
export const USER_EXPORT_MEDIA_TYPE = 'application/x-ndjson'

/** An export is never returned as one JSON document. */
export const userExportReply = () => z.never()
