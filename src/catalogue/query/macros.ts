/** The value macros: what a query can compute of a row of the sleep table (interface-gaps 4.9, macros). */
import type { ColumnType } from './column.ts'

export interface ValueMacro {
  readonly name: 'sleep_score' | 'chronotype' | 'asleep_at' | 'awake_at' | 'awakenings'
  readonly type: ColumnType
  readonly meaning: string
  /** Whether it needs the hypnogram of the night (the sleep_cycle summary). */
  readonly hypnogram: boolean
}

/** The one table that has value macros. */
export const MACRO_TABLE = 'sleep'

export const VALUE_MACROS: readonly ValueMacro[] = [
  {
    name: 'sleep_score',
    type: 'int',
    meaning: 'Value macro: score of the night by duration, efficiency, stages and latency, 0 to 100',
    hypnogram: false,
  },
  {
    name: 'chronotype',
    type: 'text',
    meaning: 'Value macro: lark, third or owl by the middle of the night',
    hypnogram: false,
  },
  {
    name: 'asleep_at',
    type: 'time',
    meaning: 'Value macro: when the person fell asleep, local time',
    hypnogram: false,
  },
  { name: 'awake_at', type: 'time', meaning: 'Value macro: when the last sleep ended, local time', hypnogram: true },
  { name: 'awakenings', type: 'int', meaning: 'Value macro: how often the person woke up', hypnogram: true },
]
