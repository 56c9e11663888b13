/** Each error code's category, exit code, HTTP status, meaning and remedy. docs/errors.md is generated from it. */

/** An error's category, which determines the exit code. See docs/errors.md. */
export type ErrorCategory = 'bug' | 'usage' | 'not_found' | 'auth' | 'refused' | 'link' | 'network' | 'cancelled'

export const EXIT_CODES: Readonly<Record<ErrorCategory, number>> = {
  bug: 1,
  usage: 2,
  not_found: 3,
  auth: 4,
  refused: 5,
  link: 6,
  network: 7,
  cancelled: 130,
}

interface CatalogueEntry {
  readonly category: ErrorCategory
  /** HTTP status if the service responds with it; null if only the command line raises it. */
  readonly status: number | null
  readonly meaning: string
  readonly remedy: string
}

const typedEntries =
  (category: ErrorCategory) =>
  (status: number | null, meaning: string, remedy: string): CatalogueEntry => ({ category, status, meaning, remedy })

const bug = typedEntries('bug')
const usage = typedEntries('usage')
const notFound = typedEntries('not_found')
const auth = typedEntries('auth')
const refused = typedEntries('refused')
const link = typedEntries('link')
const network = typedEntries('network')
const cancelled = typedEntries('cancelled')

/** All error codes. */
export const ERROR_CATALOGUE = {
  // raised by the service
  invalid_request: usage(422, 'A field, parameter or header is invalid.', 'Correct the field that the message names.'),
  body_too_large: usage(413, 'The request body is larger than the limit.', 'Split the request into smaller ones.'),
  uri_too_long: usage(414, 'The path or query is longer than the limit.', 'Split the request into smaller ones.'),
  headers_too_large: usage(431, 'The request headers are larger than the limit.', 'Send fewer or shorter headers.'),
  unknown_resource: usage(
    422,
    'The timeseries or summary resource does not exist.',
    'Use a resource that the message names, or run `svc timeseries resources`.',
  ),
  unknown_provider: usage(422, 'The provider does not exist.', 'Run `svc provider list` to list all providers.'),
  unknown_column: usage(
    422,
    'A query uses a column that its table does not have.',
    'Use a column that the message names, or run `svc aggregate columns`.',
  ),
  query_limit: usage(
    422,
    'A query exceeds a limit.',
    'Stay within the limit that the message names, or split the query.',
  ),
  mixed_kinds: usage(
    422,
    'A result would mix kinds of values, such as two statistics of HRV, and the query refuses that.',
    'Add one of the conditions that the message names, or use `--mixed-kinds split`.',
  ),
  invalid_cursor: usage(422, 'The cursor does not belong to this request.', 'Start again without a cursor.'),
  invalid_file: usage(
    422,
    'A file is damaged, unsafe or in an unknown format, or none of its records can be stored.',
    'Correct the file at the position in the message, or export it again.',
  ),
  user_not_found: notFound(404, 'The team has no such user.', "Run `svc user list` to list the team's users."),
  user_deleted: notFound(
    404,
    'The user is deleted.',
    'Restore the user with `svc user undo-delete` within 7 days of the deletion.',
  ),
  not_found: notFound(404, 'The object or path does not exist.', 'Check the id or the path.'),
  invalid_api_key: auth(
    401,
    'The API key is missing, unknown or revoked.',
    'Check the API key of the profile, or SVC_API_KEY.',
  ),
  session_ended: auth(
    401,
    'There is no console session, or it has ended.',
    'Sign in again: run `svc open`, or type an API key.',
  ),
  passkey_refused: auth(
    401,
    'The passkey is unknown or was removed, or its response is invalid, too late or already used.',
    'Try again, use another passkey, or ask an owner for a one-time URL.',
  ),
  csrf_token_missing: auth(
    403,
    "A change with the console's cookie lacks the x-svc-csrf-token header, or does not come from the console itself.",
    'Reload the console page, or send an API key instead of the cookie.',
  ),
  role_not_allowed: auth(
    403,
    "The person's role does not allow the operation.",
    'Ask an owner for another role, set with `svc engine person set`.',
  ),
  operator_only: auth(
    403,
    "The operation needs an operator's API key.",
    'Create one with `svc engine key create TEAM --operator`.',
  ),
  invalid_link_token: auth(
    401,
    'The link token is missing, unknown, used or expired.',
    'Create a new one with `svc link token`.',
  ),
  quota_exceeded: auth(
    403,
    'The team has reached its quota of users or of stored bytes.',
    'Delete something, or ask an operator to raise the quota that the message names.',
  ),
  feature_disabled: auth(
    403,
    'The closed-beta feature is switched off for the team.',
    'Ask the operator to switch it on with `svc engine team set`.',
  ),
  client_user_id_taken: refused(
    400,
    'A user with this client_user_id already exists.',
    'Use the existing user or another client_user_id.',
  ),
  undo_refused: refused(
    400,
    'The deletion cannot be undone.',
    'Fix the problem that the message describes if possible; otherwise, create a new user.',
  ),
  bad_request: refused(400, 'The service refused the request.', 'Correct the request as the message describes.'),
  conflict: refused(
    409,
    'The request conflicts with the current state.',
    'Remove the conflict that the message describes, then try again.',
  ),
  gone: refused(
    410,
    'The operation was removed, or the URL has expired.',
    'Use the operation that the message names, or a new URL.',
  ),
  rate_limited: refused(429, 'Too many requests.', 'Wait for the number of seconds in Retry-After, then try again.'),
  method_not_allowed: refused(405, 'The path does not support this method.', 'Use a method from the Allow header.'),
  not_acceptable: usage(
    406,
    'The service cannot respond in any of the accepted media types.',
    'Accept a media type that the message names.',
  ),
  unsupported_media_type: usage(
    415,
    'The media type of the body is not supported.',
    'Send a media type that the message names.',
  ),
  request_timeout: network(
    408,
    'The complete request did not arrive in time.',
    'Send the request again, without pauses.',
  ),
  server_failed: network(
    500,
    'The service failed because of an internal error.',
    'Try again. If it happens again, report it with the request id.',
  ),
  overloaded: network(
    503,
    'The memory reserved for request bodies is full.',
    'Wait for the number of seconds in Retry-After, then try again.',
  ),
  store_busy: network(
    503,
    'Another process locked the data folder, or the same rows of a PostgreSQL store, for too long.',
    'Try again.',
  ),
  disk_full: network(
    507,
    'The disk is full. Nothing was partially written.',
    'Free some space on the disk that the message names, then try again.',
  ),
  store_lost: network(
    503,
    'A database file was removed, replaced or emptied while a process had it open. The process no longer reads or writes it.',
    'Put the file back, or restart the process that the message names.',
  ),
  store_unreachable: network(
    503,
    "The store's PostgreSQL server does not respond, closed the connection, or accepts no connections now.",
    'Check that it is running and can be reached from this machine, then try again. A running `svc serve` continues by itself.',
  ),
  store_unusable: usage(
    500,
    'The PostgreSQL server or database cannot be used as a store.',
    'Fix the problem that the message describes. See `svc docs postgres`.',
  ),
  store_unsupported: usage(
    501,
    'A PostgreSQL store does not support the operation.',
    'Use the alternative in the message. See `svc docs postgres`.',
  ),
  // raised by the command line alone
  usage: usage(null, 'A flag, argument, file or query is invalid.', 'Run the command with --help.'),
  missing_input: usage(
    null,
    'Required input is missing and there is no terminal to prompt on.',
    'Provide the missing input as a flag, argument or variable.',
  ),
  answer_too_large: usage(
    null,
    'A result of `svc mcp` cannot be cut to its size limit.',
    'Request less data, for example a shorter range.',
  ),
  writes_disabled: refused(null, '`svc mcp` runs without --allow-writes.', 'Start it with --allow-writes.'),
  unsupported_operation: usage(
    null,
    'The server does not support this operation.',
    'Use a profile that points to `svc serve`, or the local profile.',
  ),
  profile_file: usage(
    null,
    'The profile file cannot be read or written.',
    'Correct the file that the message names, or remove it.',
  ),
  keychain: usage(
    null,
    "The key of a profile cannot be read from or written to the system's keychain.",
    'Unlock the keychain, or set SVC_API_KEY.',
  ),
  unknown_profile: usage(null, 'The profile does not exist.', 'Run `svc profile list` to list all profiles.'),
  data_folder: usage(
    null,
    'The data folder cannot be used.',
    'Fix the problem that the message describes, or choose another folder with SVC_DATA_DIR.',
  ),
  data_too_new: usage(
    null,
    'The data folder or the PostgreSQL store was created by a newer version of svc.',
    'Update svc.',
  ),
  master_key: usage(
    null,
    'SVC_MASTER_KEY is not set, or is not the key of the PostgreSQL store.',
    'Set SVC_MASTER_KEY to the key that all nodes of the store share. See `svc docs postgres`.',
  ),
  data_damaged: usage(
    500,
    'Stored data is damaged, or the database file in the data folder was not created by svc.',
    'List all damage with `svc engine check`. Restore a snapshot, or copy the intact data with `svc engine salvage --to DIR`.',
  ),
  port_in_use: usage(
    null,
    'Another process is using the port.',
    'Choose another port with --port, or 0 for a free one.',
  ),
  doctor_failed: refused(null, '`svc doctor` found a warning or a problem.', 'Do what each line of the report says.'),
  consumer_failed: refused(
    null,
    'A webhook handler did not respond as expected.',
    'Correct the handler for the cases that the table marks as failed.',
  ),
  link_failed: link(
    null,
    'The link ended in the error state.',
    'See error_type of the result for the reason, then start the link again.',
  ),
  history_incomplete: refused(
    409,
    'What the store keeps is not enough to compute the data of that time.',
    'Ask for the time that the message names, or a later one.',
  ),
  verification_failed: refused(
    null,
    'The signature of a webhook or of a document is invalid.',
    'Check the secret or key, and whether the content was changed; the message says what does not match.',
  ),
  network: network(null, 'The server cannot be reached.', 'Check the base URL and whether the server is running.'),
  timeout: network(
    null,
    'The server did not respond in time, or a pipe sent no data for too long.',
    'Try again, or raise SVC_TIMEOUT (for a pipe, --stall-timeout).',
  ),
  bad_response: network(null, 'The response does not come from this service.', 'Check the base URL.'),
  cancelled: cancelled(
    null,
    'The command was cancelled, for example with Ctrl-C.',
    'The cancelled step changed nothing. To continue, run the command again.',
  ),
  bug: bug(null, 'A bug in svc.', 'Report it, with the output of --debug.'),
} as const satisfies Record<string, CatalogueEntry>

export type ErrorCode = keyof typeof ERROR_CATALOGUE

const USAGE_STATUSES: ReadonlySet<number> = new Set([406, 413, 414, 415, 422, 431])

/** Returns an HTTP status's category, which determines the exit code. See docs/errors.md. */
export function categoryOfStatus(status: number): ErrorCategory {
  if (status === 404) return 'not_found'
  if (status === 401 || status === 403) return 'auth'
  if (USAGE_STATUSES.has(status)) return 'usage'
  if (status >= 500 || status === 408) return 'network'
  return 'refused'
}
