/** The stages of sleep in an export. Contains data only. */
import type { SleepStage } from '../sleep/sessions.ts'

const PREFIX = 'HKCategoryValueSleepAnalysis'
/** Stages by name, and by the number used in early exports; null for time in bed. */
export const SLEEP_STAGES: ReadonlyMap<string, SleepStage | null> = new Map<string, SleepStage | null>([
  [`${PREFIX}InBed`, null],
  ['0', null],
  [`${PREFIX}Asleep`, -1],
  [`${PREFIX}AsleepUnspecified`, -1],
  ['1', -1],
  [`${PREFIX}Awake`, 4],
  ['2', 4],
  [`${PREFIX}AsleepCore`, 2],
  ['3', 2],
  [`${PREFIX}AsleepDeep`, 1],
  ['4', 1],
  [`${PREFIX}AsleepREM`, 3],
  ['5', 3],
])
