/** The types of `worktree.mjs`, for its test. */
export function worktreeOf(
  root: string,
  commit: string,
  run: (folder: string, program: string, ...args: readonly string[]) => Promise<void>,
): { readonly folder: string; build(): Promise<void>; discard(): void }
