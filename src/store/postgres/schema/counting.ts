/**
 * Counts the bytes that each user stores (the payloads in some tables) with row triggers, in the transaction of each change. The triggers
 * are active only while a team has a byte limit. Each text is a single statement, to be run in the transaction that changes the setting.
 */
import { CHANGED, COUNTED, sizeOf } from '../../logic/rows/counted-bytes.ts'

/**
 * Blocks all writes about users, because each of them first locks its user's row. Therefore, no lock on another table can block the next
 * statements, and reads continue.
 */
const NOBODY_WRITES = 'LOCK TABLE "user" IN EXCLUSIVE MODE;'

interface Counter {
  readonly table: string
  /** The event that fires the trigger. */
  readonly event: string
  /** The trigger function's body, in PL/pgSQL. */
  readonly body: string
}

const COUNTERS: readonly Counter[] = [
  { table: 'user', event: 'BEFORE INSERT', body: 'BEGIN NEW.stored_bytes := 0; RETURN NEW; END' },
  ...Object.entries(COUNTED).map(([table, columns]) => {
    const changed = CHANGED[table]
    return {
      table,
      event: `AFTER INSERT OR DELETE${changed ? ` OR UPDATE OF ${changed.join(', ')}` : ''}`,
      // do not increase values that are not counted: null stays null
      body: `DECLARE
  owner text;
  more bigint := 0;
BEGIN
  IF TG_OP <> 'INSERT' THEN owner := OLD.user_id; more := -(${sizeOf(columns, 'OLD.')}); END IF;
  IF TG_OP <> 'DELETE' THEN owner := NEW.user_id; more := more + (${sizeOf(columns, 'NEW.')}); END IF;
  IF more <> 0 THEN
    UPDATE "user" SET stored_bytes=stored_bytes+more WHERE user_id=owner AND stored_bytes IS NOT NULL;
  END IF;
  RETURN NULL;
END`,
    }
  }),
]

const oneStatement = (commands: readonly string[]): string =>
  ['DO $counting$ BEGIN', NOBODY_WRITES, ...commands, 'END $counting$'].join('\n')

/** Starts counting, even if it is already active. */
export const BEGIN_COUNTING_DDL = oneStatement(
  COUNTERS.map(
    ({
      table,
      event,
      body,
    }) => `CREATE OR REPLACE FUNCTION count_${table}() RETURNS trigger LANGUAGE plpgsql AS $body$ ${body} $body$;
CREATE OR REPLACE TRIGGER count_${table} ${event} ON "${table}" FOR EACH ROW EXECUTE FUNCTION count_${table}();`,
  ),
)

/** Stops counting. The triggers, which may not exist, are kept, because removing them would wait for every reader. */
export const END_COUNTING_DDL = oneStatement(
  COUNTERS.map(
    ({
      table,
    }) => `IF EXISTS (SELECT 1 FROM pg_trigger WHERE tgname='count_${table}' AND tgrelid='"${table}"'::regclass) THEN
ALTER TABLE "${table}" DISABLE TRIGGER count_${table}; END IF;`,
  ),
)
