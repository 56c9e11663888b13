/** The rules that decide what counts, in words. Their numbers are those of docs/interface. */

const RULES: Readonly<Record<string, string>> = {
  'aggregates-5': '`where` is applied first: only rows that it keeps count.',
  'aggregates-7': 'In a bucket, only the best source counts: the best source type, then the priority of the team.',
  'aggregates-7 without a bucket': 'In a range of days, all sources count, also where they report the same thing.',
  'kinds-3': 'There is a number for each kind of values.',
  'merging-3': 'At each time, only the best source that covers it counts.',
  'merging-4': 'Only a part of a sample counts if only a part of its time does, with its share of the value by time.',
  'merging-5':
    'The total of a day counts only if shorter samples cover little of it, or its source is preferred to theirs.',
  'merging-6':
    'On each local day, one source counts: the best one with samples in at least half as many hours as any other.',
  'merging-7': 'All texts count.',
  'merging-9': 'Of a source, the longest version of a session counts, and parts of a night are joined.',
  'merging-10': 'Sessions of several sources that share enough of their time are one night.',
  'merging-12': 'A night has the values of its best source, and fills what that lacks from the others.',
  'merging-13': 'Naps are left out unless a condition or the column names role.',
  'merging-14': 'Workouts of several sources that start together and share enough of their time are one.',
  'merging-2': 'Conditions on columns of merged rows are applied after the merge.',
  'plausibility-4': 'Samples with values outside the limits of their resource are left out before the merge.',
}

/** Returns the rules with these names, each once, in order. */
export function rulesNamed(names: readonly string[]): { rule: string; text: string }[] {
  return [...new Set(names)].flatMap(name => {
    const text = RULES[name]
    return text === undefined ? [] : [{ rule: name.split(' ')[0] as string, text }]
  })
}
