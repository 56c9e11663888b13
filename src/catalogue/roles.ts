/** The roles that people have in the console. What a role may do is derived from the operations table (src/engine/teams/permissions.ts). */

/** Roles, from the fewest rights to the most. */
export const ROLES = ['reader-without-health-data', 'reader', 'operator', 'owner'] as const
export type Role = (typeof ROLES)[number]
