/**
 * Reads notifications from Withings. Notifications are not signed, but nobody else can guess the URL. The data is read again through the
 * API.
 */
import { hash } from 'node:crypto'
import { DAY_MS, MINUTE_MS, parseDate, SECOND_MS } from '../../../core/time.ts'
import type { Hint, IncomingNotification, NotificationReader, Reception } from '../../notifications.ts'
import type { PullWindow } from '../../pull-window.ts'
import { ACCOUNT, APPLIS, withingsSubscriptions } from './subscriptions.ts'

/** Maximum length of a window. A longer window is shortened, because a notification is about new data. */
const LONGEST_MS = 31 * DAY_MS
const ENDS: readonly (string | null)[] = ['delete', 'unlink']

export const withingsNotifications: NotificationReader = {
  receive: async (_session, incoming) => receive(incoming),
  subscriptions: withingsSubscriptions,
  instructions: () => [],
}

function receive({ method, body, receivedAt }: IncomingNotification): Reception {
  // Withings checks that the URL exists when a subscription is created
  if (method !== 'POST') return { kind: 'answered', status: 200 }
  const text = Buffer.from(body).toString('utf8')
  const form = new URLSearchParams(text)
  const [accountId, appli] = [form.get('userid') ?? '', Number(form.get('appli') ?? Number.NaN)]
  if (accountId === '' || !Number.isInteger(appli)) {
    return { kind: 'refused', status: 400, reason: 'The notification lacks a field.' }
  }
  const hints = buildHints(form, appli)
  if (hints.length === 0) return { kind: 'received', status: 200, events: [] }
  // notifications about a day have the same text all day, so only a notification within a minute counts as a repetition
  const eventId = hash('sha256', `${text}\n${Math.floor(receivedAt / MINUTE_MS)}`, 'hex')
  return { kind: 'received', status: 200, events: [{ eventId, accountId, hints }] }
}

function buildHints(form: URLSearchParams, appli: number): readonly Hint[] {
  if (appli === ACCOUNT) return ENDS.includes(form.get('action')) ? [{ kind: 'revoked' }] : []
  const window = readWindow(form)
  const collections = APPLIS.find(each => each.appli === appli)?.collections
  if (window === null || collections === undefined) return []
  return collections.map(collection => ({ kind: 'window', collection, window }))
}

/** Returns the window extended by a day on both sides, because days are local, and a night belongs to the window in which it ends. */
function readWindow(form: URLSearchParams): PullWindow | null {
  const date = parseDate(form.get('date') ?? '')
  if (date !== undefined) return { from: date - DAY_MS, to: date + 2 * DAY_MS }
  const [from, to] = [form.get('startdate'), form.get('enddate')].map(text =>
    text !== null && /^\d{1,11}$/.test(text) ? Number(text) * SECOND_MS : undefined,
  )
  if (from === undefined || to === undefined || to < from) return null
  return { from: Math.max(from, to - LONGEST_MS) - DAY_MS, to: to + DAY_MS }
}
