/** The types of `apple-export.mjs`, for the tests that use it. */

/** Writes a made-up export: the children of its root that are records, and the routes of workouts. */
export function writeAppleExport(options: {
  readonly records: number
  readonly seed: number
  readonly out: string
}): Promise<{ readonly records: number; readonly routes: number }>
