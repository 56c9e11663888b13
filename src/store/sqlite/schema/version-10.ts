/** Version 10 of the schema. */
import { EXCHANGES } from './version-10-exchanges.ts'

export const VERSION_10 = EXCHANGES
