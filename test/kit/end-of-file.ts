/**
 * What is cleaned up when a test file ends. test/setup.ts registers the hook for each file, because a hook in a module of the kit would run
 * once only where files share their modules.
 */
type CleanUp = () => unknown

const cleanUps: CleanUp[] = []

/** Runs this when the tests of the file are done, the last one first. */
export function atEndOfFile(cleanUp: CleanUp): void {
  cleanUps.push(cleanUp)
}

export async function endFile(): Promise<void> {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
}
