/** Lines of a user's export that are not items: the first line, the lines about connections and the user, and the last line. */

/** Format version. */
export const SVC_EXPORT_VERSION = 1
/** First field of the last line. A file without this line is truncated. */
export const SVC_EXPORT_END = 'svc_export_end'

/** Numbers of items in an export, by resource and by kind of summary. */
export interface ExportCounts {
  readonly samples: Readonly<Record<string, number>>
  readonly summaries: Readonly<Record<string, number>>
  readonly streams: number
}

/** Writes the first line, `{"svc_export":1,"exported_at":…,"user_id":…}`, with the user as the interface returns it. */
export function exportHeadLine(exportedAt: string, user: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify({ svc_export: SVC_EXPORT_VERSION, exported_at: exportedAt, ...user })}\n`
}

/** Writes a line about a connection, `{"connection":"whoop","status":"connected",…}`. */
export function connectionLine(provider: string, about: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify({ connection: provider, ...about })}\n`
}

/** First field of a line about the user that is not an item: `{"about":"device",…}`. */
export const SVC_EXPORT_ABOUT = 'about'

/**
 * Writes a line about the user: `{"about":"device","id":…}`, `{"about":"user_info","first_name":…}`, `{"about":"insurance","payor_code":…}`,
 * `{"about":"order","id":…}` or `{"about":"correction","resource":…}`.
 */
export function aboutLine(
  what: 'device' | 'user_info' | 'insurance' | 'order' | 'correction' | 'source_order',
  fields: Readonly<Record<string, unknown>>,
): string {
  return `${JSON.stringify({ [SVC_EXPORT_ABOUT]: what, ...fields })}\n`
}

/** Writes the last line, `{"svc_export_end":1,"samples":{"steps":1440},"summaries":{"sleep":30},"streams":2}`. */
export function exportEndLine(counts: ExportCounts): string {
  return `${JSON.stringify({ [SVC_EXPORT_END]: SVC_EXPORT_VERSION, ...counts })}\n`
}
