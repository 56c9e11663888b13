/** Reads facts about the store's server: its version, and the nodes of the Citus cluster if it coordinates one. */
import { many, one, query, type Steps } from '../logic/steps.ts'
import type { CitusNode, DatabaseServer } from '../upkeep.ts'

/** Query for the versions. Distributions append their own name to the server's version. */
const VERSIONS = query<{ readonly version: string; readonly citus: string | null }>(
  `SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
    (SELECT extversion FROM pg_catalog.pg_extension WHERE extname='citus') AS citus`,
)
/** Query for the nodes. Placements in other states are waiting to be removed, and standbys contain the same shards as their nodes. */
export const CITUS_NODES = query<CitusNode>(
  `SELECT node.groupid=0 AS "isCoordinator", node.isactive AS "isActive", count(placement.shardid)::int AS shards
    FROM pg_dist_node AS node
    LEFT JOIN pg_dist_placement AS placement ON placement.groupid=node.groupid AND placement.shardstate=1
    WHERE node.noderole='primary' GROUP BY node.nodeid, node.groupid, node.isactive ORDER BY node.nodeid`,
)

/** Returns the facts. Must run inside a read. Citus is queried only if it is installed. */
export function* serverFacts(): Steps<DatabaseServer> {
  const found = yield* one(VERSIONS)
  const { version, citus } = found as NonNullable<typeof found> // a SELECT without a table returns a row
  return { version, citus: citus === null ? null : { version: citus, nodes: yield* many(CITUS_NODES) } }
}
