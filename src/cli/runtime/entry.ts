/** Entry point of the bundle. Completion runs each time Tab is pressed, so it does not load the command framework. */

/** Runs one command line. Never throws: failures go to stderr and the exit code. `root` is the folder of package.json. */
export async function main(argv: readonly string[], root: string): Promise<void> {
  if (argv[0] === 'complete') {
    const { complete } = await import('../completion/complete.ts')
    return complete(argv.slice(1), root)
  }
  const { runCommandLine } = await import('./main.ts')
  return runCommandLine(argv, root)
}
