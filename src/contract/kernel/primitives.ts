/** The small schemas that resources are made of: identifiers, dates, zones, and how a field is marked as sensitive. */
import { z } from 'zod'
import { didYouMean } from '../../core/errors.ts'
import { isUuid, type TeamId, type UserId } from '../../core/ids.ts'
import { parseDate, parseDateTime } from '../../core/time.ts'
import { isTimeZone } from '../../core/zones.ts'

/** Marks a schema whose values never appear in messages, `detail` or logs (design 7). */
export function sensitive<T extends z.ZodType>(schema: T): T {
  return schema.meta({ sensitive: true }) as T
}

/** Control characters cannot be stored and read back alike, and move a terminal's cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

/** A text of one line, at least one character long. */
export const line = (mostCharacters: number) =>
  z
    .string()
    .min(1)
    .max(mostCharacters)
    .refine(text => !CONTROL.test(text), {
      message: 'must not contain control characters',
      params: { type: 'value_error' },
    })

/** The body of an operation that `repliesNothing`. */
export const nothing = () => z.undefined()

/** One of the listed values today; a later version may have more (interface.md, "non-exhaustive"). */
export const openEnum = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.union([z.enum(values), z.string()])

export const uuid = () =>
  z
    .string()
    .refine(isUuid, { message: 'must be a UUID', params: { type: 'uuid_parsing' } })
    .meta({ format: 'uuid' })
export const userId = () => uuid().transform(id => id.toLowerCase() as UserId)
export const teamId = () => uuid().transform(id => id.toLowerCase() as TeamId)

/** A calendar date that exists. */
export const date = () =>
  z
    .string()
    .refine(text => parseDate(text) !== undefined, {
      message: 'must be a date, YYYY-MM-DD',
      params: { type: 'date_from_datetime_parsing' },
    })
    .meta({ format: 'date' })

/** The same; an empty text stands for none. */
export const dateOrEmpty = () =>
  z
    .string()
    .refine(text => text === '' || parseDate(text) !== undefined, {
      message: 'must be a date, YYYY-MM-DD',
      params: { type: 'date_from_datetime_parsing' },
    })
    .meta({ format: 'date' })

/** Date-times as the service prints them. */
export const dateTime = () => z.string().meta({ format: 'date-time' })

const isDateOrDateTime = (text: string): boolean => parseDate(text) !== undefined || parseDateTime(text) !== undefined
const DATE_OR_DATE_TIME = {
  message: 'must be a date, YYYY-MM-DD, or an ISO 8601 date-time such as 2026-11-20T08:30:00+01:00',
  params: { type: 'date_from_datetime_parsing' },
}
const DATE_OR_DATE_TIME_META = {
  description: 'YYYY-MM-DD or an ISO 8601 date-time; UTC without an offset',
}

/** `YYYY-MM-DD` or an ISO 8601 date-time (interface.md 4.1). */
export const dateOrDateTime = () => z.string().refine(isDateOrDateTime, DATE_OR_DATE_TIME).meta(DATE_OR_DATE_TIME_META)

/** The same; an empty text stands for none, as in `?end_date=`. */
export const dateOrDateTimeOrEmpty = () =>
  z
    .string()
    .refine(text => text === '' || isDateOrDateTime(text), DATE_OR_DATE_TIME)
    .meta(DATE_OR_DATE_TIME_META)

/** An IANA tz identifier; a refusal names the nearest ones. */
export const timeZone = () =>
  z.string().superRefine((text, context) => {
    if (isTimeZone(text)) return
    const shown = text.length > 64 ? `${text.slice(0, 64)}…` : text
    const hint = didYouMean(text, Intl.supportedValuesOf('timeZone'))
    const allowed = 'Allowed are tz database identifiers such as Europe/Berlin or UTC'
    const message = `Value error, Invalid IANA time zone: ${shown}.${hint} ${allowed}`
    context.addIssue({ code: 'custom', message, params: { type: 'value_error' } })
  })

/** Query parameters come as text: a whole number within bounds. */
export const wholeNumber = (low: number, high: number) =>
  z
    .union([
      z.number(),
      z
        .string()
        .regex(/^-?\d{1,15}$/, 'must be a whole number')
        .transform(Number),
    ])
    .pipe(z.number().int().min(low).max(high))

/** Query parameters come as text: true or false. */
export const flag = () => z.union([z.boolean(), z.enum(['true', 'false']).transform(text => text === 'true')])

/** A query parameter that may be repeated. */
export const repeated = <T extends z.ZodType>(item: T) =>
  z.union([z.array(item), item.transform(value => [value] as z.output<T>[])])

/** No path parameters, no query. */
export const none = () => z.object({})

/** `{detail: …}`: every error body (interface-gaps 7). */
export const errorBody = () =>
  z
    .looseObject({
      detail: z.union([
        z.string(),
        z.record(z.string(), z.unknown()),
        z.array(z.object({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string(), type: z.string() })),
      ]),
    })
    .meta({ id: 'Error', description: 'What went wrong' })

export const success = () => z.object({ success: z.boolean() }).meta({ id: 'Success' })
