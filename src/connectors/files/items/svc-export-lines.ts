/** The lines of a user's export that are no items: the first, those of connections and of what is known of the user, and the last. */

/** Version of the format. */
export const SVC_EXPORT_VERSION = 1
/** First field of the last line: a file without it is cut off. */
export const SVC_EXPORT_END = 'svc_export_end'

/** What an export holds, by name of the resource and kind of the summary. */
export interface ExportCounts {
  readonly samples: Readonly<Record<string, number>>
  readonly summaries: Readonly<Record<string, number>>
  readonly streams: number
}

/** `{"svc_export":1,"exported_at":…,"user_id":…}`: the user as the interface shows it. */
export function exportHeadLine(exportedAt: string, user: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify({ svc_export: SVC_EXPORT_VERSION, exported_at: exportedAt, ...user })}\n`
}

/** `{"connection":"whoop","status":"connected",…}` */
export function connectionLine(provider: string, about: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify({ connection: provider, ...about })}\n`
}

/** Begins a line about the user that is no item: `{"about":"device",…}`. */
export const SVC_EXPORT_ABOUT = 'about'

/** `{"about":"device","id":…}`, `{"about":"user_info","first_name":…}`, `{"about":"insurance","payor_code":…}` or `{"about":"order","id":…}` */
export function aboutLine(
  what: 'device' | 'user_info' | 'insurance' | 'order',
  fields: Readonly<Record<string, unknown>>,
): string {
  return `${JSON.stringify({ [SVC_EXPORT_ABOUT]: what, ...fields })}\n`
}

/** `{"svc_export_end":1,"samples":{"steps":1440},"summaries":{"sleep":30},"streams":2}` */
export function exportEndLine(counts: ExportCounts): string {
  return `${JSON.stringify({ [SVC_EXPORT_END]: SVC_EXPORT_VERSION, ...counts })}\n`
}
