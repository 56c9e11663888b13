/** Schemas of the operator operation that exports one user as lines of JSON. See docs/samples.md. */
import * as z from 'zod'
import { userId } from '../kernel/primitives.ts'

export const userExportParams = () => z.object({ user_id: userId() })

/** One item per line. See src/connectors/files/items/svc-export.ts for a description of the items. */
export const USER_EXPORT_MEDIA_TYPE = 'application/x-ndjson'

/** Never returned as one JSON document. */
export const userExportReply = () => z.never()
