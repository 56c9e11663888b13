/** Data of a person with a scale at the fake Withings provider. */

/** Returns a group of measures with a weight, taken at this second. */
export function weighing(second: number) {
  const measures = [{ type: 1, value: 70_500, unit: -3 }]
  return { grpid: second, attrib: 0, date: second, modified: second, category: 1, measures }
}
