/** Version 3 of the schema in PostgreSQL. */
import { EXCHANGES } from './version-3-exchanges.ts'

export const VERSION_3 = EXCHANGES
