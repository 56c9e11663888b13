/** Distributes the tables over a Citus cluster's machines, according to the catalogue. Not used on plain PostgreSQL. */
import type { Table } from '../../tables/table.ts'
import { DIRECTORY } from '../../tables/teams.ts'
import { USER } from '../../tables/users.ts'
import { TABLES } from './tables.ts'

/** Tables that determine where the rows of users and teams are stored. All rows that belong to one user or team are on one machine. */
const FIRST: readonly string[] = [USER.name, DIRECTORY.name]

/**
 * Returns the statements that distribute a new database's tables. Tables that belong to the whole store remain on the coordinator. They
 * are added to the cluster's metadata, so that workers can also use and lock them. `mark` is the name of the table with the schema version.
 */
export function distribution(mark: string): string[] {
  const owned = TABLES.filter(({ cluster, owner }) => cluster === undefined && owner !== 'store')
  const first = (table: Table): number => (FIRST.includes(table.name) ? 0 : 1)
  return [
    ...[...owned].sort((a, b) => first(a) - first(b)).map(distributed),
    ...TABLES.filter(({ cluster }) => cluster === 'everywhere').map(
      ({ name }) => `SELECT create_reference_table('${name}')`,
    ),
    ...[{ name: mark }, ...TABLES.filter(({ cluster }) => cluster === 'coordinator')].map(
      ({ name }) => `SELECT citus_add_local_table_to_metadata('${name}')`,
    ),
  ]
}

function distributed({ name, owner, placedBy }: Table): string {
  const [column, beside] =
    owner === 'user' || placedBy ? [placedBy ?? 'user_id', USER.name] : ['team_id', DIRECTORY.name]
  const together = name === beside ? '' : `, colocate_with => '"${beside}"'`
  return `SELECT create_distributed_table('"${name}"', '${column}'${together})`
}
