/** Version 10 of the schema. */
import { VERSION_10_CONSOLE } from './version-10-console.ts'

export const VERSION_10 = VERSION_10_CONSOLE
