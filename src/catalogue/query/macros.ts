/** Value macros, which a query can compute from a row of the sleep table. See docs/interface/aggregates.md#aggregates-3. */
import type { ColumnType } from './column.ts'

export interface ValueMacro {
  readonly name: 'sleep_score' | 'chronotype' | 'asleep_at' | 'awake_at' | 'awakenings'
  readonly type: ColumnType
  readonly meaning: string
  /** Whether the macro needs the night's hypnogram (the sleep_cycle summary). */
  readonly hypnogram: boolean
}

/** The only table that has value macros. */
export const MACRO_TABLE = 'sleep'

export const VALUE_MACROS: readonly ValueMacro[] = [
  {
    name: 'sleep_score',
    type: 'int',
    meaning: 'Value macro: sleep score from duration, efficiency, stages and latency, 0 to 100',
    hypnogram: false,
  },
  {
    name: 'chronotype',
    type: 'text',
    meaning: 'Value macro: chronotype by the midpoint of the night: lark, third or owl',
    hypnogram: false,
  },
  {
    name: 'asleep_at',
    type: 'time',
    meaning: 'Value macro: when the person fell asleep, local time',
    hypnogram: false,
  },
  { name: 'awake_at', type: 'time', meaning: 'Value macro: when the person last woke up, local time', hypnogram: true },
  { name: 'awakenings', type: 'int', meaning: 'Value macro: how often the person woke up', hypnogram: true },
]
