/**
 * Counts the bytes that each user stores (the payloads in some tables) with triggers, in the transaction of each change. The triggers take
 * a tenth of a write's time, so they exist only while a team has a byte limit. They belong to the handle, not to the schema. Therefore, an
 * operation that copies whole tables (restoring a snapshot) also copies the counts, as fast as any other copied data.
 */
import { CHANGED, COUNTED, COUNTING, sizeOf } from '../../logic/rows/counted-bytes.ts'

interface Trigger {
  readonly name: string
  readonly sql: string
}

const TRIGGERS: readonly Trigger[] = [
  {
    name: 'count_user',
    sql: 'AFTER INSERT ON main.user BEGIN UPDATE user SET stored_bytes=0 WHERE user_id=new.user_id; END',
  },
  ...Object.entries(COUNTED).flatMap(([table, columns]) => {
    const trigger = (event: string, change: string, row: string): Trigger => ({
      name: `count_${table}_${event.slice(0, 6)}`,
      // do not increase values that are not counted: null stays null
      sql: `AFTER ${event} ON main.${table} BEGIN
         UPDATE user SET stored_bytes=stored_bytes+${change} WHERE user_id=${row}.user_id; END`,
    })
    const [before, after] = [sizeOf(columns, 'old.'), sizeOf(columns, 'new.')]
    const changed = CHANGED[table]
    return [
      trigger('INSERT', `(${after})`, 'new'),
      trigger('DELETE', `0-(${before})`, 'old'),
      ...(changed ? [trigger(`UPDATE OF ${changed.join(', ')}`, `(${after})-(${before})`, 'new')] : []),
    ]
  }),
]

const COUNT = TRIGGERS.map(({ name, sql }) => `CREATE TEMP TRIGGER IF NOT EXISTS ${name} ${sql};`).join('\n')
const COUNT_NO_MORE = TRIGGERS.map(({ name }) => `DROP TRIGGER IF EXISTS temp.${name};`).join('\n')

/** The handle methods that counting uses. */
interface Writer {
  get(sql: string, ...values: readonly string[]): unknown
  exec(sql: string): void
}

/** Switches counting on and off for a handle according to the setting, which does not change during a transaction. */
export class ByteCounting {
  /** Null if not known. */
  private isOn: boolean | null = false

  /** Must be called at the beginning of each transaction. */
  begin(db: Writer): void {
    const isOn = db.get('SELECT 1 FROM setting WHERE name=?', COUNTING) !== undefined
    if (isOn !== this.isOn) db.exec(isOn ? COUNT : COUNT_NO_MORE)
    this.isOn = isOn
  }

  /** Must be called after the transaction was rolled back, together with any switch made in it. */
  undone(): void {
    this.isOn = null
  }
}
