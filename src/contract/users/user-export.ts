/** Everything about one user as lines of JSON (docs/samples.md), audience operator. */
import { z } from 'zod'
import { userId } from '../kernel/primitives.ts'

export const userExportParams = () => z.object({ user_id: userId() })

/** One item a line; src/connectors/files/svc-export.ts says which. */
export const USER_EXPORT_MEDIA_TYPE = 'application/x-ndjson'

/** There is no answer in JSON. */
export const userExportReply = () => z.never()
