/**
 * Cleanup at the end of a test file. test/setup.ts registers the hook for each file, because a hook in a kit module would run only once if
 * files share their modules.
 */
type CleanUp = () => unknown

const cleanUps: CleanUp[] = []

/** Runs this when the tests of the file are done, last one first. */
export function atEndOfFile(cleanUp: CleanUp): void {
  cleanUps.push(cleanUp)
}

export async function endFile(): Promise<void> {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
}
