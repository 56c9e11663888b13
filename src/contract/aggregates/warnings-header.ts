/** The response header with the warnings about an aggregate query, as a JSON list. Absent if there are none. */
export const WARNINGS_HEADER = 'x-svc-warnings'
