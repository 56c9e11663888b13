/**
 * How often random cases are repeated. By default a run takes minutes and is one of many, each with new seeds; SVC_TEST_EFFORT=4 repeats
 * them four times as often.
 */
const effort = Number(process.env['SVC_TEST_EFFORT'] || 1)

/** Returns the number of repetitions, given the number of a usual run. */
export function times(usual: number): number {
  return Math.max(1, Math.round(usual * effort))
}
