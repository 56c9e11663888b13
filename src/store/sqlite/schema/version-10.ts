/** Version 10 of the schema. */
import { VERSION_10_CONSOLE } from './version-10-console.ts'
import { EXCHANGES } from './version-10-exchanges.ts'

export const VERSION_10 = `${EXCHANGES}${VERSION_10_CONSOLE}`
