/** Tables in the form of public data sets: the export of a fitness tracker for a study, with all its people in one file. */

/** A person's ID: ten digits, like the trackers' numbers. */
export const studyId = (person: number): string => String(1_503_960_366 + person * 7919)

export interface StudySize {
  readonly people: number
  readonly days: number
}

/** Daily totals: one row for each person and day, sorted by person. */
export function dailyActivity({ people, days }: StudySize): string {
  const rows = numbers(people).flatMap(person =>
    numbers(days).map(day => `${studyId(person)},4/${day + 1}/2016,${9000 + person * 100 + day},${2000 + day}`),
  )
  return table('Id,ActivityDate,TotalSteps,Calories', rows)
}

/** Minutes of sleep, with the tracker's ID for the night. */
export function minuteSleep(people: number, minutes: number): string {
  const rows = numbers(people).flatMap(person =>
    numbers(minutes).map(minute => {
      const clock = `${Math.floor(minute / 60) + 1}:${String(minute % 60).padStart(2, '0')}`
      return `${studyId(person)},4/13/2016 ${clock}:30 AM,${1 + ((minute + person) % 3)},1138056458${person}`
    }),
  )
  return table('Id,date,value,logId', rows)
}

function table(header: string, rows: readonly string[]): string {
  return `${[header, ...rows].join('\r\n')}\r\n`
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i)
