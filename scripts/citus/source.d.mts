/** The types of `source.mjs`, for the tests that use it. */

export function isSource(folder: string): boolean
export function mendSource(folder: string, headers: string): boolean
export function mended(text: string, serverHeader: string): string
