/** The types of `arguments.mjs`, for the tests that use it. */

/** Returns the path of HAProxy, unless only PostgreSQL is requested. Throws an error that lists all missing packages. */
export function findPrograms(
  wanted: { readonly isPostgresOnly: boolean },
  env?: Readonly<Record<string, string | undefined>>,
): { readonly proxy: string | undefined }
