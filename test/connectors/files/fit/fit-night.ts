/** FIT files of a watch with nights. */
import { ENUM, FitFile, fitTime, U8, U16, U32 } from './fit-file.ts'

export const BEDTIME = fitTime('2025-06-01T21:00:00Z')
export const UNMEASURABLE = 0
export const AWAKE = 1
export const LIGHT = 2
export const DEEP = 3
export const REM = 4
export const HOUR = 3600

type Row = readonly number[]
/** Adds levels of sleep: time and level. */
export const levels = (file: FitFile, ...rows: readonly Row[]): FitFile =>
  file.message(
    275,
    [
      [253, U32],
      [0, ENUM],
    ],
    ...rows,
  )
/** Adds events at which sleep starts (0) or ends (1). */
export const events = (file: FitFile, ...rows: readonly Row[]): FitFile =>
  file.message(
    21,
    [
      [253, U32],
      [0, ENUM],
      [1, ENUM],
    ],
    ...rows.map(([at = 0, type = 0]) => [at, 74, type]),
  )
export const score = (file: FitFile, value: number): FitFile =>
  file.message(
    346,
    [
      [6, U8],
      [11, U8],
    ],
    [value, 3],
  )
/** Returns a sleep file of a watch two hours east of UTC. */
export const sleepFile = (): FitFile =>
  new FitFile().fileId(49).message(
    273,
    [
      [253, U32],
      [1, U16],
      [2, U32],
    ],
    [BEDTIME - 600, 60, BEDTIME - 600 + 7200],
  )
/** Returns a night of eight hours whose levels are written at their ends. */
export const night = (file = sleepFile(), at = BEDTIME): FitFile =>
  levels(
    events(file, [at, 0], [at + 8 * HOUR, 1]),
    [at + 600, AWAKE],
    [at + 3 * HOUR, LIGHT],
    [at + 4 * HOUR, DEEP],
    [at + 5 * HOUR, REM],
    [at + 8 * HOUR, LIGHT],
  )
