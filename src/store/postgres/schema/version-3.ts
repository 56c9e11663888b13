/** Version 3 of the schema in PostgreSQL. */
import { VERSION_3_CONSOLE } from './version-3-console.ts'

export const VERSION_3 = VERSION_3_CONSOLE
