/** Version 8 of the schema. */

/**
 * The slices of users that processes deliver for: two hexadecimal digits, with which the ids of the users in the slice begin. A slice that
 * nobody holds has no row. Leases of older processes end with them.
 */
export const VERSION_8 = `
CREATE TABLE delivery_slice (
  slice TEXT PRIMARY KEY,
  deliverer_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
UPDATE delivery SET leased_by=NULL WHERE leased_by IS NOT NULL;
DELETE FROM deliverer;
`
