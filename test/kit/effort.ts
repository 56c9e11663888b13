/** How often random cases are repeated: SVC_TEST_EFFORT=4 tries four times as many as a usual run, which takes minutes. */
const effort = Number(process.env['SVC_TEST_EFFORT'] || 1)

/** Returns the number of repetitions, given the number of a usual run. */
export function times(usual: number): number {
  return Math.max(1, Math.round(usual * effort))
}
