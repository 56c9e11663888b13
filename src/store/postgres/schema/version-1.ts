/** Version 1 of the schema in PostgreSQL. */
import { DATA } from './version-1-data.ts'
import { EVENTS } from './version-1-events.ts'
import { TEAMS } from './version-1-teams.ts'
import { USERS } from './version-1-users.ts'

/** Texts are compared byte by byte, as SQLite compares them. */
const TEXT = 'text COLLATE "C"'

export const VERSION_1 = [TEAMS, USERS, DATA, EVENTS].join('\n').replaceAll(/\bTEXT\b/g, TEXT)
