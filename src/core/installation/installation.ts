/** The files that ship with svc, and the ways to run more of it. */

/** Code to run in a process of its own. */
export interface Program {
  readonly name: 'read-database'
  readonly code: string
  /** Options for V8, such as `--max-old-space-size=96`. */
  readonly flags: readonly string[]
  readonly args: readonly string[]
}

/** A command line to start, and the variables to add to its environment. */
export interface CommandLine {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** How svc is installed: as files by npm, or as one file. Paths are absolute, below the folder of package.json. */
export interface Installation {
  /** Returns the content of a file. Throws as `readFileSync` does. */
  read(file: string): Buffer
  /** Returns the paths of all files below a folder, relative to the folder. Throws as `readdirSync` does. */
  list(folder: string): readonly string[]
  /** Returns when a file was last modified, in milliseconds since 1970; undefined if the file does not exist. */
  modifiedAt(file: string): number | undefined
  /** Returns code for a thread: an expression whose value is the exports of the bundle, which is this file. */
  bundleExpression(file: string): string
  /** Returns the command line that runs svc. `root` is the folder of package.json. */
  ownCommand(root: string, args: readonly string[]): CommandLine
  /** Returns the command line that runs a program. */
  programCommand(program: Program): CommandLine
}
