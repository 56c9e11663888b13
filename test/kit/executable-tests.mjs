/** A fifth of the tests of commands, which `npm test -- --package` also runs against the single executable. */
export const WITH_EXECUTABLE = [
  'test/cli/runtime/process.test.ts',
  'test/commands/completion.test.ts',
  'test/commands/downloads.test.ts',
  'test/commands/open.test.ts',
  'test/commands/out-file.test.ts',
  'test/commands/serve.test.ts',
  'test/e2e/aggregate-serve.test.ts',
  'test/e2e/import-databases.test.ts',
  'test/e2e/init.test.ts',
  'test/e2e/mcp.test.ts',
  'test/e2e/readme-tour.test.ts',
  'test/profile/keychain.test.ts',
]
