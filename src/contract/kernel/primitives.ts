/** Small schemas that others are built from: identifiers, dates, time zones, and the marker for sensitive fields. */
import * as z from 'zod'
import { didYouMean } from '../../core/errors.ts'
import { isUuid, type TeamId, type UserId } from '../../core/ids.ts'
import { parseDate, parseDateTime } from '../../core/time.ts'
import { isTimeZone } from '../../core/zones.ts'

/** Marks a schema whose values must never appear in messages, `detail` or logs. See docs/security.md. */
export function sensitive<T extends z.ZodType>(schema: T): T {
  return schema.meta({ sensitive: true }) as T
}

/** Returns a function that builds a schema when first called and caches it, for schemas that take a long time to build. */
export function kept<T>(build: () => T): () => T {
  let built: T | undefined
  return () => {
    built ??= build()
    return built
  }
}

/** Text that must never appear in messages. */
export const sensitiveText = () => sensitive(z.string())

/** An object that becomes a separate component with this name in /openapi.json. */
export const component = <S extends z.core.$ZodLooseShape>(id: string, shape: S) => z.object(shape).meta({ id })

/** Like `component`, but refuses other fields. */
export const strictComponent = <S extends z.core.$ZodLooseShape>(id: string, shape: S) =>
  z.strictObject(shape).meta({ id })

/** The message from `refine` for a value of the right type. */
export const wrongValue = (message: string, type = 'value_error') => ({ message, params: { type } })

/** Text that matches a pattern. */
export const matching = (pattern: RegExp, message: string) =>
  z.string().refine(text => pattern.test(text), wrongValue(message))

/** Matches control characters, which do not survive storage unchanged and can move a terminal's cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them on purpose
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

/** A single line of text with at least one character. */
export const line = (mostCharacters: number) =>
  z
    .string()
    .min(1)
    .max(mostCharacters)
    .refine(text => !CONTROL.test(text), wrongValue('must not contain control characters'))

/** The body of an operation with `repliesNothing`. */
export const nothing = () => z.undefined()

/** An open enumeration, to which later versions may add values. See docs/interface/README.md#interface-4. */
export const openEnum = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.union([z.enum(values), z.string()])

export const uuid = () =>
  z.string().refine(isUuid, wrongValue('must be a UUID', 'uuid_parsing')).meta({ format: 'uuid' })
/** A UUID, converted to lower case, the form in which IDs are stored. */
export const lowerUuid = () => uuid().transform(id => id.toLowerCase())
export const userId = () => uuid().transform(id => id.toLowerCase() as UserId)
export const teamId = () => uuid().transform(id => id.toLowerCase() as TeamId)

const isDate = (text: string): boolean => parseDate(text) !== undefined
const NOT_A_DATE = wrongValue('must be a date in the form YYYY-MM-DD', 'date_from_datetime_parsing')

/** A calendar date that exists. */
export const date = () => z.string().refine(isDate, NOT_A_DATE).meta({ format: 'date' })
/** A calendar date, or an empty string for none. */
export const dateOrEmpty = () =>
  z
    .string()
    .refine(text => text === '' || isDate(text), NOT_A_DATE)
    .meta({ format: 'date' })
/** A date-time as the service prints it. */
export const dateTime = () => z.string().meta({ format: 'date-time' })

/** Returns whether a text is a date, or a date-time with or without an offset. */
export const isDateOrDateTime = (text: string): boolean => isDate(text) || parseDateTime(text) !== undefined
const DATE_OR_DATE_TIME = wrongValue(
  'must be a date in the form YYYY-MM-DD or an ISO 8601 date-time such as 2026-11-20T08:30:00+01:00',
  'date_from_datetime_parsing',
)
const DATE_OR_DATE_TIME_META = {
  description: 'YYYY-MM-DD or an ISO 8601 date-time; times without an offset are UTC',
}

/** `YYYY-MM-DD` or an ISO 8601 date-time. See docs/interface/timeseries.md#timeseries-6. */
export const dateOrDateTime = () => z.string().refine(isDateOrDateTime, DATE_OR_DATE_TIME).meta(DATE_OR_DATE_TIME_META)

/** A date or date-time, or an empty string for none, as in `?end_date=`. */
export const dateOrDateTimeOrEmpty = () =>
  z
    .string()
    .refine(text => text === '' || isDateOrDateTime(text), DATE_OR_DATE_TIME)
    .meta(DATE_OR_DATE_TIME_META)

/** An IANA time zone identifier; the error lists the nearest ones. */
export const timeZone = () =>
  z.string().superRefine((text, context) => {
    if (isTimeZone(text)) return
    const shown = text.length > 64 ? `${text.slice(0, 64)}…` : text
    const hint = didYouMean(text, Intl.supportedValuesOf('timeZone'))
    const allowed = 'Use a tz database identifier such as Europe/Berlin or UTC'
    const message = `Value error, Invalid IANA time zone: ${shown}.${hint} ${allowed}`
    context.addIssue({ code: 'custom', ...wrongValue(message) })
  })

/** A whole number within bounds; query parameters arrive as text. */
export const wholeNumber = (low: number, high: number) =>
  z
    .union([
      z.number(),
      z
        .string()
        .regex(/^-?\d{1,15}$/, 'must be a whole number')
        .transform(Number),
    ])
    .pipe(z.int().min(low).max(high))

/** A boolean; query parameters arrive as text. */
export const flag = () => z.union([z.boolean(), z.enum(['true', 'false']).transform(text => text === 'true')])

/** A repeatable query parameter. */
export const repeated = <T extends z.ZodType>(item: T) =>
  z.union([z.array(item), item.transform(value => [value] as z.output<T>[])])

/** No path parameters or no query parameters. */
export const none = () => z.object({})

/** `{detail: …}`: the body of every error. See docs/interface/errors.md#errors-1. */
export const errorBody = () =>
  z
    .looseObject({
      detail: z.union([
        z.string(),
        z.record(z.string(), z.unknown()),
        z.array(
          z.object({
            loc: z.array(z.union([z.string(), z.number()])),
            msg: z.string(),
            type: z.string(),
            ctx: z
              .object({ columns: z.array(z.string()).meta({ description: 'Columns of an imported table' }) })
              .optional(),
          }),
        ),
      ]),
    })
    .meta({ id: 'Error', description: 'What went wrong' })

export const success = () => z.object({ success: z.boolean() }).meta({ id: 'Success' })
