/** Version 3 of the schema in PostgreSQL. */
import { VERSION_3_CONSOLE } from './version-3-console.ts'
import { EXCHANGES } from './version-3-exchanges.ts'

export const VERSION_3 = `${EXCHANGES}${VERSION_3_CONSOLE}`
