/** Every command with --json: one JSON document on stdout, or an empty stdout and the error on stderr, with the documented exit code. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ERROR_CATALOGUE } from '../../src/core/error-catalogue.ts'
import { InProcessSandbox } from '../kit/in-process.ts'
import { type RunOptions, root } from '../kit/sandbox.ts'

const sandbox = new InProcessSandbox()

interface Case {
  readonly args: readonly string[]
  readonly options?: RunOptions
}
/** Stands for a value kept from an earlier case in the arguments of a success case, or for several with spaces between them. */
const KEPT = '<kept>'
interface GoodCase extends Case {
  /** Picks the value of the document that later cases need. */
  readonly keep?: (document: never) => string
  /** The required content of the document. */
  readonly holds: unknown
}
interface BadCase extends Case {
  readonly exit: number
  readonly code: keyof typeof ERROR_CATALOGUE
  /** The pattern of the message. */
  readonly message?: RegExp
}

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'
const PASSWORD = { input: 'secret\n' }
const SIGNING_SECRET = `whsec_${Buffer.alloc(32, 3).toString('base64')}`
/** The fields of a person, as profile info and insurance accept them. */
const PERSON = {
  first_name: 'Ada',
  last_name: 'Sample',
  email: 'ada@example.test',
  phone_number: '+1 415 555 0100',
  gender: 'female',
  dob: '1990-02-28',
  address: { first_line: '1 Any Street', city: 'Anytown', state: 'CA', zip: '94103', country: 'US' },
}

/** A sentence of a message that contains a remedy. */
const REMEDY =
  /[.;] (?:Add|Check|Choose|Create|Delete|Export|Give|Import|Leave|Name|Repeat|Run|See|Send|Set|Start|Try|Use|Write)\b/i

/** The first message of a client of the Model Context Protocol. */
const HANDSHAKE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

/** In order: later cases build on earlier ones. */
const good: readonly GoodCase[] = [
  { args: ['user', 'create', 'ada', '--fallback-time-zone', 'Europe/Berlin'], holds: { client_user_id: 'ada' } },
  { args: ['user', 'get', 'ada'], holds: { client_user_id: 'ada' } },
  {
    args: ['init', '--user', 'ines'],
    holds: { steps: expect.arrayContaining([expect.objectContaining({ status: 'done' })]) },
  },
  { args: ['user', 'delete', 'ines', '--yes'], holds: {} },
  { args: ['doctor'], holds: { ok: true, checks: expect.any(Array) } },
  { args: ['completion', 'fish'], holds: { shell: 'fish', script: expect.stringContaining('complete -c svc') } },
  { args: ['user', 'list', '--limit', '5'], holds: { total: 1, limit: 5 } },
  {
    args: ['provider', 'list', '--auth-type', 'password'],
    holds: expect.arrayContaining([expect.objectContaining({ slug: 'whoop' })]),
  },
  { args: ['link', 'token', 'ada'], holds: { link_token: expect.any(String), link_web_url: null } },
  {
    args: ['link', 'password', 'whoop', '--user', 'ada', '--username', 'mfa-sms@sandbox.test', '--password-stdin'],
    options: PASSWORD,
    holds: { state: 'pending_provider_mfa' },
  },
  { args: ['link', 'complete-mfa', 'whoop', '--user', 'ada', '--mfa-code', '123456'], holds: { state: 'success' } },
  { args: ['provider', 'list', '--user', 'ada'], holds: { providers: [expect.objectContaining({ slug: 'whoop' })] } },
  {
    args: ['timeseries', 'resources'],
    holds: expect.arrayContaining([expect.objectContaining({ resource: 'steps' })]),
  },
  {
    args: ['timeseries', 'get', 'ada', 'steps', '--start', '2020-01-01'],
    holds: { groups: { whoop: expect.any(Array) } },
  },
  {
    args: ['summary', 'get', 'ada', 'sleep', '--start', '2020-01-01'],
    holds: { sleep: expect.any(Array) },
    keep: (document: { sleep: { id: string }[] }) => document.sleep[0]?.id ?? '',
  },
  { args: ['timeseries', 'stream', KEPT], holds: { hypnogram: expect.any(Array) } },
  { args: ['timeseries', 'implausible', 'ada'], holds: { data: [] } },
  {
    args: ['summary', 'get', 'ada', 'sleep', '--start', '2020-01-01'],
    holds: { sleep: expect.any(Array) },
    keep: (document: { sleep: { id: string }[] }) =>
      document.sleep
        .slice(0, 2)
        .map(({ id }) => id)
        .join(' '),
  },
  {
    args: ['aggregate', 'correct', 'ada', KEPT, '--different'],
    holds: { table: 'sleep', verdict: 'different', sessions: [{ provider: 'whoop' }, { provider: 'whoop' }] },
  },
  { args: ['aggregate', 'corrections', 'ada'], holds: { corrections: [{ verdict: 'different' }] } },
  { args: ['aggregate', 'correct', 'ada', KEPT, '--undo'], holds: { success: true } },
  {
    args: ['why', 'sum(steps)', 'ada', '2026-11-19', '--merge', '--limit', '1'],
    holds: {
      value: expect.any(Number),
      unit: 'count',
      signature: { jws: expect.stringMatching(/^[\w-]+\.\.[\w-]+$/) },
    },
  },
  { args: ['engine', 'key', 'public'], holds: { algorithm: 'EdDSA', jwk: { crv: 'Ed25519' } } },
  { args: ['summary', 'get', 'ada', 'profile'], holds: { height: expect.any(Number) } },
  {
    args: ['aggregate', 'query', 'ada', '--select', 'sum(steps)', '--group-by', '1d', '--past', '1w'],
    holds: { results: [{ table: expect.any(Object) }] },
  },
  {
    args: ['aggregate', 'query', 'ada', '--select', 'sum(steps)', '--past', '1w', '-o', 'week.parquet'],
    holds: { file: 'week.parquet' },
  },
  {
    args: [
      'aggregate',
      'explain',
      'ada',
      '--select',
      'sum(steps)',
      '--group-by',
      '1d',
      '--past',
      '1w',
      '--diff',
      'oura',
    ],
    holds: { results: [{ table: 'timeseries', diff: { priority: ['oura'], rows: [] } }] },
  },
  { args: ['aggregate', 'conflicts', 'ada'], holds: { conflicts: [], has_more: false } },
  { args: ['aggregate', 'columns'], holds: { tables: expect.arrayContaining([expect.any(Object)]) } },
  { args: ['docs'], holds: expect.arrayContaining([{ topic: 'aggregate', title: 'Aggregate queries' }]) },
  { args: ['docs', 'webhooks'], holds: { topic: 'webhooks', markdown: expect.stringContaining('# Webhooks') } },
  { args: ['aggregate', 'schema'], holds: { $defs: expect.any(Object) } },
  { args: ['aggregate', 'columns', 'sleep'], holds: { table: 'sleep', columns: expect.any(Array) } },
  {
    args: ['aggregate', 'watch', 'create', 'daily-steps', '--select', 'sum(steps)', '--group-by', '1d'],
    holds: { slug: 'daily-steps', title: 'daily-steps' },
  },
  { args: ['aggregate', 'watch', 'list'], holds: { continuous_queries: [{ slug: 'daily-steps' }] } },
  { args: ['aggregate', 'watch', 'show', 'daily-steps'], holds: { slug: 'daily-steps', query_config: null } },
  { args: ['aggregate', 'watch', 'result', 'ada', 'daily-steps'], holds: { table: { sum: expect.any(Array) } } },
  {
    args: ['aggregate', 'watch', 'history', 'ada', 'daily-steps'],
    holds: { data: [{ status: 'completed' }], next_cursor: null },
  },
  { args: ['aggregate', 'watch', 'rename', 'daily-steps', 'Steps by day'], holds: { title: 'Steps by day' } },
  { args: ['aggregate', 'watch', 'delete', 'daily-steps', '--yes'], holds: { success: true } },
  {
    args: ['aggregate', 'priorities', 'set', 'sleep', 'oura=2', 'garmin:watch=1'],
    holds: [expect.objectContaining({ provider: 'oura', priority: 2 }), expect.anything()],
  },
  { args: ['aggregate', 'priorities', '--data-type', 'body'], holds: [] },
  {
    args: ['aggregate', 'sources', 'set', 'sleep', 'oura:ring', 'watch', 'apple_health_kit:watch+app=com.example.run'],
    holds: {
      source_orders: [
        {
          metric_group: 'sleep',
          of: 'team',
          sources: [
            { provider: 'oura', source_type: 'ring', app_id: null, device_id: null },
            { provider: null, source_type: 'watch', app_id: null, device_id: null },
            { provider: 'apple_health_kit', source_type: 'watch', app_id: 'com.example.run', device_id: null },
          ],
        },
      ],
    },
  },
  { args: ['aggregate', 'sources', '--user', 'ada'], holds: { source_orders: [{ metric_group: 'sleep' }] } },
  { args: ['aggregate', 'sources', 'set', 'sleep', '--clear'], holds: { source_orders: [] } },
  {
    args: ['mcp'],
    options: { input: `${JSON.stringify(HANDSHAKE)}\n` },
    holds: { jsonrpc: '2.0', id: 1, result: { serverInfo: { name: 'svc' } } },
  },
  { args: ['listen', '--print-secret'], holds: { secret: expect.stringMatching(/^whsec_/) } },
  { args: ['labs', 'list'], holds: expect.arrayContaining([expect.objectContaining({ slug: 'quest' })]) },
  { args: ['labs', 'markers', '--size', '2'], holds: { size: 2 } },
  { args: ['labs', 'markers', '--lab-test', 'essential-health'], holds: { total: 4 } },
  { args: ['labs', 'marker', '6', '676109'], holds: { name: 'Glucose', expected_results: [expect.anything()] } },
  { args: ['labs', 'set-markers', '--lab-test', 'iron-status', '--code', '130707'], holds: { total: 2 } },
  { args: ['labs', 'tests', '--limit', '3', '--sort', 'price'], holds: { next_cursor: expect.any(String) } },
  { args: ['labs', 'test', 'essential-health'], holds: { slug: 'essential-health', lab: { slug: 'labcorp' } } },
  { args: ['labs', 'accounts', '--status', 'suspended'], holds: { data: [{ lab: 'bioreference' }] } },
  {
    args: ['import', 'export.xml', '--user', 'ada'],
    holds: { format: 'apple_health', stored: { steps: { samples: 1 } } },
    keep: (document: { import_id: string }) => document.import_id,
  },
  { args: ['import', 'list', '--user', 'ada'], holds: { imports: [{ format: 'apple_health', undone_at: null }] } },
  { args: ['engine', 'team', 'set', 'local', '--keep-imports', '90d'], holds: { keep_import_days: 90 } },
  {
    args: ['import', 'export.xml', '--user', 'ada'],
    holds: { file: { bytes: expect.any(Number), kept: true, not_kept: null } },
  },
  {
    args: ['import', 'remap', '--user', 'ada', '--dry-run'],
    holds: { dry_run: true, changes: [], total: 0, users: [{ counts: {} }], left_out: [{ count: 1 }] },
  },
  { args: ['import', 'remap', '--format', 'apple_health'], holds: { users: [{ import_id: null }] } },
  { args: ['import', 'undo', KEPT], holds: { removed: { steps: 1 }, restored: {}, kept: {} } },
  { args: ['user', 'export', 'ada', '-o', 'ada-export'], holds: { folder: expect.stringMatching(/ada-export$/) } },
  {
    args: ['timeseries', 'delete', 'ada', 'steps', '--start', '2020-01-01', '--end', '2020-01-02', '--yes'],
    holds: { deleted: 0 },
  },
  {
    args: ['user', 'update', 'ada', '--fallback-birth-date', '1990-02-28', '--clear', 'fallback-time-zone'],
    holds: { client_user_id: 'ada', fallback_time_zone: null, fallback_birth_date: { value: '1990-02-28' } },
  },
  {
    args: ['event', 'list', '--user', 'ada', '--type', 'historical.data.*', '--type', 'provider.*', '--limit', '2'],
    holds: { data: [{ client_user_id: 'ada' }, { deliveries: { pending: 0 } }], next_cursor: expect.any(String) },
    keep: (document: { data: { event_id: string }[] }) => document.data[0]?.event_id ?? '',
  },
  { args: ['event', 'get', KEPT], holds: { client_user_id: 'ada', payload: { client_user_id: 'ada' } } },
  { args: ['event', 'attempts', KEPT], holds: { attempts: [] } },
  { args: ['event', 'types', '*.error'], holds: { data: [{ type: 'provider.connection.error', resource: null }] } },
  {
    args: ['event', 'types', 'daily.data.steps.created'],
    holds: { resource: 'steps', example: { event_type: 'daily.data.steps.created' } },
  },
  { args: ['user', 'search', 'AD'], holds: [expect.objectContaining({ client_user_id: 'ada' })] },
  { args: ['user', 'metrics'], holds: { number_of_users: 1, number_of_errored_connected_sources: 0 } },
  { args: ['user', 'refresh', 'ada', '--timeout', '60'], holds: { success: true, failed_sources: [] } },
  { args: ['user', 'sign-in-token', 'ada'], holds: { sign_in_token: expect.any(String) } },
  {
    args: ['user', 'set-info', 'ada', '--file', '-', '--city', 'Boston', '--race', 'other'],
    options: { input: JSON.stringify(PERSON) },
    holds: { first_name: 'Ada', race: 'other', address: { city: 'Boston', zip_code: '94103' } },
  },
  { args: ['user', 'info', 'ada'], holds: { email: 'ada@example.test' } },
  {
    args: ['order', 'create', 'ada', '--lab-test', 'heart-health-kit', '--idempotency-key', 'one'],
    holds: {
      status: 'success',
      order: { patient_details: { first_name: 'Ada' }, patient_address: { city: 'Boston' } },
    },
    keep: (document: { order: { id: string } }) => document.order.id,
  },
  { args: ['order', 'get', KEPT], holds: { id: expect.any(String), status: 'received' } },
  { args: ['order', 'list', '--user', 'ada', '--status', 'requisition_created'], holds: { total: 1 } },
  {
    args: ['order', 'pdf', KEPT, '--document', 'requisition', '-o', 'requisition.pdf'],
    holds: { file: 'requisition.pdf', bytes: expect.any(Number) },
  },
  {
    args: ['order', 'simulate', KEPT, '--interpretation', 'abnormal', '--missing'],
    holds: { success: true, final_status: 'completed.testkit.completed' },
  },
  { args: ['order', 'result', KEPT], holds: { missing_results: [expect.anything()] } },
  { args: ['order', 'result', KEPT, '--metadata'], holds: { lab_name: 'SanoCardio', interpretation: 'abnormal' } },
  { args: ['order', 'pdf', KEPT, '-o', 'result.pdf'], holds: { file: 'result.pdf' } },
  {
    args: ['order', 'create', 'ada', '--file', '-', '--marker', '602345', '--last-name', 'Other'],
    options: { input: '{"collection_method": "walk_in_test"}' },
    holds: { order: { lab_test: { auto_generated: true }, patient_details: { last_name: 'Other' } } },
    keep: (document: { order: { id: string } }) => document.order.id,
  },
  { args: ['order', 'cancel', KEPT], holds: { order: { status: 'cancelled' } } },
  {
    args: ['user', 'set-insurance', 'ada', '--file', '-', '--payor-code', 'SVC01', '--last-name', 'Other'],
    options: { input: JSON.stringify({ member_id: 'M1', relationship: 'Self', insured: PERSON }) },
    holds: { company: { name: expect.any(String) }, insured: { first_name: 'Ada', last_name: 'Other' } },
  },
  { args: ['user', 'insurance', 'ada', '--primary'], holds: { member_id: 'M1', is_primary: true } },
  {
    args: ['user', 'devices', 'ada'],
    holds: [expect.objectContaining({ provider: 'whoop', device_manufacturer: 'Whoop' })],
    keep: (document: { id: string }[]) => document[0]?.id ?? '',
  },
  { args: ['user', 'devices', 'ada', '--device', KEPT], holds: { provider: 'whoop' } },
  {
    args: ['user', 'resources', 'ada'],
    holds: { data: [{ provider: { whoop: { steps: { last_attempt: { status: 'success' } } } } }] },
  },
  {
    args: ['user', 'pulls', '--provider', 'whoop', '--limit', '1'],
    holds: { data: [{ provider: { whoop: { pulled: { steps: { status: 'success' } } } } }], next_cursor: null },
  },
  {
    args: ['provider', 'fail', 'ada', 'whoop', '--error-type', 'token_refresh_failed'],
    holds: { status: 'error', error_details: { error_type: 'token_refresh_failed' } },
  },
  { args: ['provider', 'disconnect', 'ada', 'whoop', '--yes'], holds: { success: true } },
  {
    args: [
      ...['provider', 'setup', 'dexcom_v3', '--client-id', 'client-1', '--client-secret-stdin'],
      ...['--redirect-url', 'http://localhost:8484/callback', '--api-url', 'https://sandbox-api.dexcom.com'],
    ],
    options: PASSWORD,
    holds: { provider: 'dexcom_v3', client_id: 'client-1', redirect_url: 'http://localhost:8484/callback' },
  },
  { args: ['provider', 'setups'], holds: { setups: [{ provider: 'dexcom_v3', keep_raw: false }] } },
  {
    args: ['provider', 'status', 'dexcom_v3'],
    holds: { providers: [{ provider: 'dexcom_v3', delivery: 'polling' }], connections: [], next_cursor: null },
  },
  { args: ['provider', 'raw', 'ada', 'dexcom_v3'], holds: { answers: [] } },
  { args: ['provider', 'remap', 'dexcom_v3', '--dry-run'], holds: { users: [], changes: [], total: 0 } },
  { args: ['provider', 'teardown', 'dexcom_v3', '--yes'], holds: { provider: 'dexcom_v3', disconnected: 0 } },
  { args: ['engine', 'clock', 'show'], holds: { offset_seconds: 0 } },
  { args: ['engine', 'clock', 'advance', '1h'], holds: { offset_seconds: expect.any(Number) } },
  { args: ['engine', 'clock', 'set', 'real'], holds: { offset_seconds: 0 } },
  { args: ['engine', 'status'], holds: { users: 1, samples: expect.any(Number), schema_version: expect.any(Number) } },
  { args: ['engine', 'check'], holds: { ok: true, problems: [] } },
  {
    args: ['engine', 'salvage', '--to', 'salvaged', '--data-dir', 'copied'],
    holds: { ok: true, left_out: [] },
  },
  {
    args: ['engine', 'copy', '--from', 'copied', '--to', 'moved'],
    holds: { users: expect.any(Number), samples: expect.any(Number), continued: false },
  },
  { args: ['engine', 'run-due'], holds: { ran: [], left: [] } },
  { args: ['engine', 'team', 'set', 'local', '--no-keep-imports'], holds: { keep_import_days: null } },
  {
    args: ['engine', 'jobs', '--kind', 'retention'],
    // of both users that had events
    holds: {
      jobs: [
        { kind: 'retention', subject: null, is_due: false },
        { kind: 'retention', subject: null, is_due: false },
      ],
      next_cursor: null,
    },
  },
  {
    args: ['engine', 'team', 'create', 'acme', '--region', 'eu'],
    holds: { api_key: expect.stringMatching(/^sk_eu_/) },
  },
  { args: ['engine', 'team', 'list'], holds: { teams: [{ name: 'local' }, { name: 'acme', user_count: 0 }] } },
  { args: ['engine', 'team', 'show', 'acme'], holds: { name: 'acme', user_count: 0 } },
  {
    args: ['engine', 'team', 'set', 'acme', '--beta', 'user-info=off', '--user-limit', '3', '--name', 'acme 2'],
    holds: { name: 'acme 2', user_limit: 3, max_users: 3, beta: { user_info: false, aggregate: true } },
  },
  {
    args: ['engine', 'team', 'set', 'acme 2', '--max-users', 'none', '--max-bytes', '1.5GB', '--max-in-flight', '3'],
    holds: { max_users: null, max_bytes: 1_500_000_000, max_in_flight: 3, stored_bytes: 0 },
  },
  {
    args: ['engine', 'team', 'set', 'acme 2', '--max-bytes', '20KiB', '--max-requests-per-second', '7'],
    holds: { max_bytes: 20_480, max_requests_per_second: 7 },
  },
  { args: ['engine', 'team', 'show', 'acme 2'], holds: { name: 'acme 2', max_bytes: 20_480, max_in_flight: 3 } },
  {
    args: ['engine', 'key', 'create', 'acme 2', '--label', 'web', '--operator'],
    holds: { label: 'web', is_operator: true },
    keep: (document: { key_id: string }) => document.key_id,
  },
  { args: ['engine', 'key', 'revoke', KEPT, '--yes'], holds: { revoked_at: expect.any(String) } },
  { args: ['engine', 'key', 'list', '--team', 'acme 2'], holds: { keys: [{ label: 'first key' }] } },
  { args: ['engine', 'person', 'add', 'Ana', '--role', 'reader'], holds: { name: 'Ana', role: 'reader' } },
  { args: ['engine', 'person', 'list'], holds: { people: [{ name: 'Ana', role: 'reader' }] } },
  { args: ['engine', 'person', 'set', 'Ana', '--role', 'operator'], holds: { role: 'operator' } },
  { args: ['engine', 'person', 'add', 'Ben', '--role', 'owner'], holds: { url: null } },
  { args: ['engine', 'person', 'remove', 'Ben', '--yes'], holds: { removed: true } },
  { args: ['engine', 'passkey', 'list'], holds: { passkeys: [] } },
  { args: ['engine', 'session', 'list'], holds: { sessions: [] } },
  {
    args: ['engine', 'audit', '--operation', 'key.revoke'],
    holds: { entries: [{ actor: 'local', outcome: 'ok' }], next_cursor: null },
  },
  {
    args: ['engine', 'deprecations'],
    holds: { deprecations: expect.arrayContaining([expect.objectContaining({ name: 'is_final', is_served: false })]) },
  },
  {
    args: ['webhook', 'create', 'http://localhost:9/hooks', '--event-type', 'lab_report.*', '--header-prefix', 'svix'],
    holds: { header_prefix: 'svix-', secret: expect.stringMatching(/^whsec_/) },
    keep: (document: { endpoint_id: string }) => document.endpoint_id,
  },
  { args: ['webhook', 'list'], holds: { endpoints: [{ state: 'enabled', waiting: 0 }] } },
  { args: ['webhook', 'get', 'http://localhost:9/hooks'], holds: { event_types: ['lab_report.*'] } },
  { args: ['webhook', 'update', KEPT, '--rate-limit', '5'], holds: { rate_limit: 5, header_prefix: 'svix-' } },
  {
    args: ['webhook', 'rotate-secret', KEPT, '--overlap', '2d', '--secret-stdin'],
    options: { input: SIGNING_SECRET },
    holds: { secret: SIGNING_SECRET, former_secret_until: expect.any(String) },
  },
  { args: ['webhook', 'test', KEPT], holds: { event_type: 'provider.connection.created' } },
  { args: ['webhook', 'disable', KEPT], holds: { state: 'disabled', dead: 1 } },
  { args: ['webhook', 'enable', KEPT], holds: { state: 'enabled' } },
  { args: ['event', 'resend', '--since', '2020-01-01', '--dead', '--endpoint', KEPT], holds: { queued: 1 } },
  {
    args: ['event', 'list', '--since', '2h', '--endpoint', 'http://localhost:9/hooks'],
    holds: { data: [{ deliveries: { pending: 1 } }], next_cursor: null },
  },
  { args: ['event', 'deliver'], holds: { attempts: 1, failed: 1, delivered: 0, next_attempt_at: expect.any(String) } },
  { args: ['webhook', 'delete', KEPT, '--yes'], holds: { success: true } },
  {
    args: ['event', 'sign', '--body', 'body.json', '--id', 'one', '--headers-to', 'headers.txt'],
    options: { env: { SVC_WEBHOOK_SECRET: SIGNING_SECRET } },
    holds: { 'webhook-id': 'one', 'webhook-signature': expect.stringMatching(/^v1,/) },
  },
  {
    args: ['event', 'verify', '--body', 'body.json', '--headers', 'headers.txt', '--secret-stdin'],
    options: { input: SIGNING_SECRET },
    holds: { ok: true, id: 'one', body_bytes: 2 },
  },
  { args: ['engine', 'clock', 'freeze'], holds: { frozen: true } },
  { args: ['engine', 'clock', 'freeze', '2026-11-20T08:30:00Z'], holds: { now: '2026-11-20T08:30:00+00:00' } },
  { args: ['engine', 'clock', 'advance', '1h'], holds: { now: '2026-11-20T09:30:00+00:00', frozen: true } },
  { args: ['engine', 'clock', 'freeze', '--off'], holds: { frozen: false } },
  { args: ['engine', 'clock', 'set', 'real'], holds: { offset_seconds: 0, frozen: false } },
  {
    args: ['engine', 'fault', 'add', 'GET /v2/timeseries/*=503:0.2', '--times', '3', '--seed', 'ci'],
    holds: {
      method: 'GET',
      path: '/v2/timeseries/*',
      effect: 'status',
      status: 503,
      probability: 0.2,
      times: 3,
      seed: 'ci',
    },
  },
  { args: ['engine', 'fault', 'add', '2s'], holds: { method: null, path: '/*', effect: 'latency', latency_ms: 2000 } },
  { args: ['engine', 'fault', 'list'], holds: { faults: [{ status: 503 }, { latency_ms: 2000 }] } },
  { args: ['engine', 'fault', 'clear', '1'], holds: { cleared: 1 } },
  { args: ['engine', 'fault', 'clear'], holds: { cleared: 1 } },
  { args: ['engine', 'snapshot', 'export', 'backup.db'], holds: { file: expect.stringMatching(/backup\.db$/) } },
  { args: ['engine', 'record', 'recording.ndjson', '--until-idle', '1s'], holds: { entries: 0 } },
  { args: ['engine', 'replay', 'recording.ndjson', '--data-dir', 'replayed'], holds: { users: 1, complete: true } },
  { args: ['engine', 'snapshot', 'save', 'base'], holds: { name: 'base', users: 1 } },
  { args: ['engine', 'snapshot', 'save', 'base', '--force'], holds: { name: 'base', frozen: false } },
  { args: ['engine', 'snapshot', 'list'], holds: { snapshots: [{ name: 'base' }] } },
  { args: ['engine', 'snapshot', 'restore', 'base', '--yes'], holds: { users_before: 1, users_after: 1, epoch: 1 } },
  { args: ['engine', 'snapshot', 'delete', 'base', '--yes'], holds: { name: 'base', deleted: true } },
  { args: ['profile', 'add', 'staging', '--base-url', 'http://127.0.0.1:1'], holds: { name: 'staging' } },
  { args: ['profile', 'list'], holds: expect.arrayContaining([expect.objectContaining({ name: 'local' })]) },
  { args: ['profile', 'show', 'staging'], holds: { base_url: 'http://127.0.0.1:1', api_key: null, timeout_ms: null } },
  { args: ['profile', 'use', 'staging'], holds: { current: true } },
  { args: ['profile', 'remove', 'staging'], holds: { name: 'staging' } },
  { args: ['whoami'], holds: { mode: 'embedded', settings: { data_dir: { source: 'variable' } } } },
  { args: ['api', 'GET', '/v2/user?limit=1'], holds: { total: 1 } },
  {
    args: ['api', 'POST', '/svc/v1/clock', '--field', 'advance=0s', '--idempotency-key', 'once'],
    holds: { frozen: false },
  },
  { args: ['user', 'delete', 'ada', '--yes'], holds: { success: true } },
  { args: ['user', 'undo-delete', 'ada'], holds: { success: true } },
  {
    args: ['event', 'trigger', 'daily.data.water.created', '--user', 'ada', '--set', 'data.value=250'],
    holds: { events: expect.arrayContaining([expect.objectContaining({ event_type: 'daily.data.water.created' })]) },
  },
  {
    args: ['event', 'trigger', 'labtest.appointment.created', '--user', 'ada', '--only-event', '--count', '2'],
    holds: { events: [{ event_type: 'labtest.appointment.created' }, { sequence: expect.any(Number) }] },
  },
  { args: ['user', 'create', 'idle'], holds: { client_user_id: 'idle' } },
  {
    args: ['engine', 'seed', '--people', '3', '--days', '80', '--seed', '7', '--data-dir', 'seeded'],
    holds: {
      next: null,
      people: [{ client_user_id: 'person-001' }, { state: 'created' }, { client_user_id: 'person-003' }],
    },
  },
  {
    args: ['engine', 'reset', '--yes', '--data-dir', 'seeded'],
    holds: { users_before: 3, users_after: 0 },
  },
  { args: ['user', 'create', 'lin'], holds: { client_user_id: 'lin' } },
  {
    args: ['link', 'providers', '--user', 'lin'],
    holds: expect.arrayContaining([expect.objectContaining({ slug: 'oura', form_components: {} })]),
  },
  {
    args: ['link', 'email', 'freestyle_libre', '--user', 'lin', '--email', 'lin@example.test', '--region', 'gb'],
    holds: { state: 'success', provider: 'freestyle_libre' },
  },
  { args: ['link', 'oauth', 'oura', '--user', 'lin'], holds: { oauth_url: null, state: expect.any(String) } },
  {
    args: ['link', 'oauth', 'oura', '--user', 'lin', '--approve', '--grant', 'daily'],
    holds: { state: 'success', provider: 'oura' },
  },
  { args: ['link', 'fitbit', '--user', 'lin', '--approve'], holds: { state: 'success', provider: 'fitbit' } },
  { args: ['user', 'create', 'demo'], holds: { client_user_id: 'demo' } },
  { args: ['link', 'demo', 'demo', 'oura'], holds: { success: true } },
]

const bad: readonly BadCase[] = [
  { args: ['init', '--provider', 'nope'], exit: 2, code: 'usage', message: /oura/ },
  { args: ['doctor', '--nope'], exit: 2, code: 'usage', message: /--nope/ },
  { args: ['completion', 'csh'], exit: 2, code: 'usage', message: /powershell/ },
  { args: ['user', 'create'], exit: 2, code: 'usage', message: /CLIENT_USER_ID/ },
  { args: ['user', 'create', 'ada'], exit: 5, code: 'client_user_id_taken' },
  { args: ['user', 'create', 'eve', '--fallback-time-zone', 'Mars/Olympus'], exit: 2, code: 'invalid_request' },
  { args: ['user', 'create', 'eve', '--fallback-birth-date', '1990-02-30'], exit: 2, code: 'invalid_request' },
  { args: ['user', 'get', 'nobody'], exit: 3, code: 'user_not_found' },
  { args: ['user', 'get', UNKNOWN_ID], exit: 3, code: 'user_not_found' },
  { args: ['user', 'list', '--limit', '0'], exit: 2, code: 'invalid_request', message: /limit/ },
  { args: ['user', 'list', '--limt', '3'], exit: 2, code: 'usage', message: /--limit/ },
  { args: ['user', 'delete', 'ada'], exit: 2, code: 'missing_input', message: /--yes/ },
  { args: ['user', 'undo-delete', 'nobody'], exit: 3, code: 'user_not_found' },
  { args: ['event', 'list', '--type', 'daily.data.stepz.created'], exit: 2, code: 'invalid_request', message: /steps/ },
  { args: ['event', 'list', '--endpoint', 'http://localhost:1/'], exit: 3, code: 'not_found', message: /webhook list/ },
  { args: ['event', 'list', '--since', '0s'], exit: 2, code: 'usage', message: /10m/ },
  { args: ['event', 'list', '--dead', '--state', 'failing'], exit: 2, code: 'usage', message: /--dead/ },
  {
    args: ['event', 'trigger', 'daily.data.stepz.created', '--user', 'ada'],
    exit: 2,
    code: 'invalid_request',
    message: /steps/,
  },
  {
    args: ['event', 'trigger', 'daily.data.steps.created', '--user', 'ada', '--set', 'data.velue=1'],
    exit: 2,
    code: 'invalid_request',
    message: /data\.value/,
  },
  {
    args: ['event', 'trigger', 'daily.data.steps.created', '--user', 'ada', '--set', 'value'],
    exit: 2,
    code: 'usage',
    message: /PATH=VALUE/,
  },
  { args: ['event', 'trigger', 'message.attempt.exhausted', '--user', 'ada'], exit: 5, code: 'conflict' },
  { args: ['event', 'trigger', 'daily.data.steps.created', '--user', 'nobody'], exit: 3, code: 'user_not_found' },
  { args: ['event', 'deliver', 'all'], exit: 2, code: 'usage' },
  { args: ['event', 'resend'], exit: 2, code: 'usage', message: /EVENT or --since/ },
  {
    args: ['event', 'resend', '00000000-0000-4000-8000-000000000000'],
    exit: 3,
    code: 'not_found',
  },
  { args: ['engine', 'seed', '--until', '2036-01-01'], exit: 2, code: 'invalid_request', message: /engine's time/ },
  { args: ['engine', 'seed', '--people', '0'], exit: 2, code: 'invalid_request', message: /people/ },
  { args: ['event', 'get', UNKNOWN_ID], exit: 3, code: 'not_found' },
  { args: ['event', 'attempts', UNKNOWN_ID], exit: 3, code: 'not_found' },
  { args: ['event', 'types', 'daily.data.step.created'], exit: 3, code: 'not_found', message: /steps/ },
  { args: ['user', 'update', 'ada'], exit: 2, code: 'usage', message: /--client-user-id/ },
  { args: ['user', 'update', 'ada', '--clear', 'client-user-id'], exit: 2, code: 'usage', message: /ingestion-end/ },
  { args: ['user', 'update', 'ada', '--ingestion-end', 'x'], exit: 2, code: 'invalid_request', message: /YYYY-MM-DD/ },
  { args: ['user', 'update', 'nobody', '--ingestion-end', '2030-01-01'], exit: 3, code: 'user_not_found' },
  { args: ['user', 'search', 'a'], exit: 2, code: 'invalid_request', message: /2 characters/ },
  { args: ['user', 'metrics', 'all'], exit: 2, code: 'usage' },
  { args: ['user', 'refresh', 'ada', '--timeout', '90'], exit: 2, code: 'invalid_request', message: /at most 60/ },
  { args: ['user', 'refresh', 'idle'], exit: 5, code: 'bad_request', message: /no connected sources/ },
  { args: ['user', 'sign-in-token', 'nobody'], exit: 3, code: 'user_not_found' },
  { args: ['user', 'info', 'nobody'], exit: 3, code: 'user_not_found' },
  { args: ['user', 'set-info', 'ada', '--first-name', 'Ada'], exit: 2, code: 'invalid_request', message: /last_name/ },
  { args: ['user', 'set-info', 'ada', '--file', 'broken.json'], exit: 2, code: 'usage', message: /not valid JSON/ },
  { args: ['user', 'set-info', 'ada', '--race', 'x'], exit: 2, code: 'usage', message: /asian/ },
  { args: ['user', 'insurance', 'ada', '--no-primary'], exit: 3, code: 'not_found', message: /set-insurance/ },
  {
    args: ['user', 'set-insurance', 'ada', '--file', 'absent.json'],
    exit: 2,
    code: 'usage',
    message: /does not exist/,
  },
  { args: ['user', 'devices', 'ada', '--device', 'x'], exit: 2, code: 'invalid_request', message: /UUID/ },
  { args: ['user', 'resources', '--cursor', 'x'], exit: 2, code: 'invalid_cursor' },
  { args: ['user', 'pulls', 'ada', '--provider', 'woop'], exit: 2, code: 'unknown_provider', message: /whoop/ },
  { args: ['provider', 'fail', 'ada', 'oura'], exit: 2, code: 'usage', message: /--error-type/ },
  { args: ['provider', 'fail', 'ada', 'oura', '--error-type', 'unknown'], exit: 3, code: 'not_found' },
  { args: ['provider', 'disconnect', 'ada', 'oura'], exit: 2, code: 'missing_input', message: /--yes/ },
  { args: ['provider', 'disconnect', 'ada', 'ora', '--yes'], exit: 2, code: 'unknown_provider', message: /oura/ },
  {
    args: ['provider', 'setup', 'fitbit', '--client-id', 'client-1', '--client-secret-stdin'],
    options: PASSWORD,
    exit: 2,
    code: 'invalid_request',
    message: /always simulated.*oura/,
  },
  {
    args: ['provider', 'setup', 'oura', '--client-id', 'client-1', '--client-secret-stdin', '--scope', 'dayly'],
    options: PASSWORD,
    exit: 2,
    code: 'invalid_request',
    message: /Did you mean .*daily/,
  },
  { args: ['provider', 'setup', 'oura', '--client-id', 'client-1'], exit: 2, code: 'missing_input', message: /secret/ },
  {
    args: ['provider', 'setup', 'strava', '--client-id', 'client-1', '--client-secret-stdin'],
    options: { input: '' },
    exit: 2,
    code: 'invalid_request',
    message: /strava has no live connector.*oura, withings/,
  },
  {
    args: [
      ...['provider', 'setup', 'google_health', '--client-id', 'client-1', '--client-secret-stdin'],
      ...['--service-account', 'absent.json'],
    ],
    options: PASSWORD,
    exit: 2,
    code: 'usage',
    message: /does not exist/,
  },
  { args: ['provider', 'setups', 'oura'], exit: 2, code: 'usage' },
  { args: ['provider', 'raw', 'nobody', 'oura'], exit: 3, code: 'user_not_found' },
  { args: ['provider', 'remap', 'zwift'], exit: 2, code: 'invalid_request', message: /always simulated/ },
  { args: ['provider', 'remap', 'oura'], exit: 3, code: 'not_found' },
  { args: ['provider', 'status', '--user', 'nobody'], exit: 3, code: 'user_not_found' },
  { args: ['provider', 'status', 'fitbit'], exit: 2, code: 'invalid_request', message: /always simulated/ },
  { args: ['provider', 'teardown', 'oura'], exit: 2, code: 'missing_input', message: /--yes/ },
  { args: ['provider', 'teardown', 'oura', '--yes'], exit: 3, code: 'not_found', message: /not set up/ },
  { args: ['link', 'oauth', '--callback-url-stdin'], options: PASSWORD, exit: 2, code: 'missing_input' },
  {
    args: ['link', 'oauth', 'oura', '--callback-url-stdin'],
    options: PASSWORD,
    exit: 2,
    code: 'usage',
    message: /parameter state/,
  },
  { args: ['provider', 'list', '--auth-type', 'pasword'], exit: 2, code: 'usage', message: /password/ },
  { args: ['provider', 'list', '--user', 'nobody'], exit: 3, code: 'user_not_found' },
  { args: ['link', 'token', 'nobody'], exit: 3, code: 'user_not_found' },
  { args: ['link', 'password', 'whoop', '--user', 'ada'], exit: 2, code: 'missing_input', message: /--username/ },
  {
    args: ['link', 'password', 'whoop', '--user', 'ada', '--username', 'a'],
    exit: 2,
    code: 'missing_input',
    message: /--password-stdin/,
  },
  {
    args: ['link', 'password', 'abbott_libreview', '--user', 'ada', '--username', 'a', '--password-stdin'],
    options: PASSWORD,
    exit: 2,
    code: 'missing_input',
    message: /--region/,
  },
  {
    args: ['link', 'password', 'whop', '--user', 'ada', '--username', 'a', '--password-stdin'],
    options: PASSWORD,
    exit: 2,
    code: 'unknown_provider',
    message: /whoop/,
  },
  { args: ['link', 'password', '--user', 'ada'], exit: 2, code: 'missing_input', message: /PROVIDER/ },
  { args: ['link', '--user', 'ada'], exit: 2, code: 'missing_input', message: /Providers: oura, .*zwift/ },
  { args: ['link', 'passwrd'], exit: 2, code: 'unknown_provider', message: /mean ..password/ },
  { args: ['link', 'token', 'ada', '--on-error', 'redirect'], exit: 2, code: 'usage', message: /redirect-url/ },
  { args: ['link', 'email', 'freestyle_libre', '--user', 'ada'], exit: 2, code: 'missing_input', message: /--email/ },
  {
    args: ['link', 'email', 'zwift', '--user', 'ada', '--email', 'a@example.test'],
    exit: 2,
    code: 'unknown_provider',
    message: /svc link password zwift --user ada/,
  },
  { args: ['link', 'oauth', 'ora', '--user', 'ada'], exit: 2, code: 'unknown_provider', message: /mean ..oura/ },
  {
    args: ['link', 'oauth', 'oura', '--user', 'ada', '--grant', 'daily'],
    exit: 2,
    code: 'usage',
    message: /--approve/,
  },
  {
    args: ['link', 'oauth', 'oura', '--user', 'ada', '--approve', '--grant', 'daly'],
    exit: 2,
    code: 'invalid_request',
    message: /mean ..daily/,
  },
  { args: ['link', 'providers'], exit: 2, code: 'missing_input', message: /SVC_LINK_TOKEN/ },
  {
    args: ['link', 'providers'],
    options: { env: { SVC_LINK_TOKEN: 'none' } },
    exit: 4,
    code: 'invalid_link_token',
    message: /svc link token/,
  },
  { args: ['link', 'demo', 'ada', 'whoop'], exit: 2, code: 'invalid_request', message: /oura/ },
  { args: ['link', 'demo', 'lin', 'oura'], exit: 5, code: 'bad_request', message: /real connection/ },
  {
    args: ['user', 'list'],
    options: { env: { SVC_PROVIDERS: 'absent.json' } },
    exit: 2,
    code: 'usage',
    message: /SVC_PROVIDERS/,
  },
  { args: ['link', 'complete-mfa', 'whoop', '--mfa-code', '1'], exit: 2, code: 'missing_input', message: /--user/ },
  { args: ['link', 'complete-mfa', 'whoop', '--user', 'ada'], exit: 2, code: 'missing_input', message: /--mfa-code/ },
  {
    args: ['timeseries', 'get', 'ada', 'stepz', '--start', '2026-01-01'],
    exit: 2,
    code: 'unknown_resource',
    message: /steps/,
  },
  { args: ['timeseries', 'get', 'ada', 'steps', '--start', 'someday'], exit: 2, code: 'invalid_request' },
  { args: ['timeseries', 'get', 'ada', 'steps'], exit: 2, code: 'usage', message: /--start/ },
  { args: ['timeseries', 'resources', 'steps'], exit: 2, code: 'usage' },
  { args: ['timeseries', 'implausible', 'nobody'], exit: 3, code: 'user_not_found' },
  { args: ['timeseries', 'stream', 'x'], exit: 2, code: 'usage', message: /UUID/ },
  { args: ['timeseries', 'stream', UNKNOWN_ID], exit: 3, code: 'not_found' },
  {
    args: ['summary', 'get', 'ada', 'slep', '--start', '2026-01-01'],
    exit: 2,
    code: 'unknown_resource',
    message: /sleep/,
  },
  { args: ['summary', 'get', 'ada', 'sleep'], exit: 2, code: 'usage', message: /--start/ },
  { args: ['summary', 'get', 'ada', 'profile', '--start', '2026-01-01'], exit: 2, code: 'usage', message: /range/ },
  { args: ['summary', 'get', 'ada', 'sleep', '--start', 'someday'], exit: 2, code: 'invalid_request' },
  { args: ['summary', 'get', 'nobody', 'sleep', '--start', '2026-01-01'], exit: 3, code: 'user_not_found' },
  { args: ['aggregate', 'query', 'ada'], exit: 2, code: 'usage', message: /--select/ },
  {
    args: ['aggregate', 'query', 'ada', '--select', 'sum(stepz)', '--past', '1w'],
    exit: 2,
    code: 'usage',
    message: /steps/,
  },
  { args: ['aggregate', 'query', 'ada', 'broken.json'], exit: 2, code: 'usage', message: /not valid JSON/ },
  { args: ['aggregate', 'query'], exit: 2, code: 'usage', message: /USER/ },
  {
    args: ['aggregate', 'query', '--all-users', '--select', 'steps', '--past', '1d'],
    exit: 2,
    code: 'usage',
    message: /-o/,
  },
  {
    args: ['aggregate', 'explain', 'ada', '--select', 'steps', '--past', '1d', '--diff', 'ora'],
    exit: 2,
    code: 'usage',
    message: /oura/,
  },
  { args: ['why', 'sum(steps)', 'nobody', '2026-11-19'], exit: 3, code: 'user_not_found' },
  { args: ['why', 'sum(steps)', 'ada'], exit: 2, code: 'usage', message: /PERIOD is missing/ },
  { args: ['why', 'sum(steps)', 'ada', '2026-13'], exit: 2, code: 'invalid_request', message: /ISO week/ },
  { args: ['why', 'sum(stps)', 'ada', '2026-11-19'], exit: 2, code: 'usage', message: /steps/ },
  { args: ['why', '--verify', 'package.json'], exit: 2, code: 'usage', message: /--key/ },
  { args: ['aggregate', 'conflicts', 'nobody'], exit: 3, code: 'user_not_found' },
  { args: ['aggregate', 'conflicts', 'ada', '--limit', '501'], exit: 2, code: 'invalid_request', message: /500/ },
  { args: ['aggregate', 'corrections', 'nobody'], exit: 3, code: 'user_not_found' },
  {
    args: ['aggregate', 'correct', 'ada', UNKNOWN_ID, UNKNOWN_ID.replace('8', '9'), '--same'],
    exit: 3,
    code: 'not_found',
    message: /first ID .*`svc aggregate conflicts/s,
  },
  {
    args: ['aggregate', 'correct', 'ada', UNKNOWN_ID, UNKNOWN_ID, '--same'],
    exit: 2,
    code: 'invalid_request',
    message: /another session/,
  },
  {
    args: ['aggregate', 'correct', 'ada', UNKNOWN_ID, 'x', '--same'],
    exit: 2,
    code: 'invalid_request',
    message: /must be a UUID/,
  },
  { args: ['aggregate', 'correct', 'ada', UNKNOWN_ID, UNKNOWN_ID], exit: 2, code: 'usage', message: /--undo/ },
  { args: ['docs', 'webhook'], exit: 2, code: 'usage', message: /webhooks/ },
  { args: ['aggregate', 'schema', 'sleep'], exit: 2, code: 'usage' },
  { args: ['aggregate', 'columns', 'slep'], exit: 2, code: 'usage', message: /sleep/ },
  {
    args: ['aggregate', 'query', 'ada', '--select', 'sum(steps)', '--past', '1w', '-o', 'out.xls'],
    exit: 2,
    code: 'usage',
    message: /\.parquet/,
  },
  { args: ['aggregate', 'watch', 'create', 'x', '--select', 'sum(steps)'], exit: 2, code: 'invalid_request' },
  {
    args: ['aggregate', 'watch', 'create', 'x', 'broken.json', '--gap', '5m'],
    exit: 2,
    code: 'usage',
    message: /30 min/,
  },
  { args: ['aggregate', 'watch', 'list', 'all'], exit: 2, code: 'usage' },
  { args: ['aggregate', 'watch', 'show', 'nothing'], exit: 3, code: 'not_found', message: /watch list/ },
  { args: ['aggregate', 'watch', 'result', 'ada', 'nothing'], exit: 3, code: 'not_found' },
  { args: ['aggregate', 'watch', 'history', 'nobody', 'nothing'], exit: 3, code: 'user_not_found' },
  { args: ['aggregate', 'watch', 'rename', 'nothing', 'Steps'], exit: 3, code: 'not_found', message: /watch list/ },
  { args: ['aggregate', 'watch', 'delete', 'nothing'], exit: 2, code: 'missing_input', message: /--yes/ },
  { args: ['aggregate', 'sources', '--user', 'nobody'], exit: 3, code: 'user_not_found' },
  { args: ['aggregate', 'sources', 'set', 'slep', 'oura'], exit: 2, code: 'invalid_request', message: /sleep/ },
  { args: ['aggregate', 'sources', 'set', 'sleep', 'oura=1'], exit: 2, code: 'usage', message: /PROVIDER/ },
  { args: ['aggregate', 'priorities', '--data-type', 'slep'], exit: 2, code: 'invalid_request', message: /sleep/ },
  {
    args: ['aggregate', 'priorities', 'set', 'sleep', 'ora=1'],
    exit: 2,
    code: 'unknown_provider',
    message: /oura/,
  },
  { args: ['labs', 'list', '--nme', 'x'], exit: 2, code: 'usage' },
  { args: ['labs', 'markers', '--size', '101'], exit: 2, code: 'invalid_request', message: /size/ },
  { args: ['labs', 'marker', '6', 'none'], exit: 3, code: 'not_found' },
  { args: ['labs', 'marker', 'six', '1'], exit: 2, code: 'usage', message: /integer/ },
  { args: ['labs', 'set-markers'], exit: 2, code: 'invalid_request', message: /at least one/ },
  { args: ['labs', 'tests', '--cursor', 'x'], exit: 2, code: 'invalid_cursor' },
  { args: ['labs', 'test', 'esential-health'], exit: 3, code: 'not_found', message: /essential-health/ },
  { args: ['labs', 'accounts', '--status', 'asleep'], exit: 2, code: 'usage', message: /suspended/ },
  { args: ['order', 'create', 'nobody', '--lab-test', 'iron-status'], exit: 3, code: 'user_not_found' },
  { args: ['order', 'create', 'ada'], exit: 2, code: 'usage', message: /--lab-test/ },
  { args: ['order', 'create', 'ada', '--lab-test', 'heavy-metals-walk-in'], exit: 5, code: 'bad_request' },
  { args: ['order', 'create', 'ada', '--file', 'broken.json'], exit: 2, code: 'usage', message: /not valid JSON/ },
  { args: ['order', 'get', UNKNOWN_ID], exit: 3, code: 'not_found' },
  { args: ['order', 'get', 'x'], exit: 2, code: 'invalid_request', message: /UUID/ },
  { args: ['order', 'list', '--status', 'asleep'], exit: 2, code: 'invalid_request' },
  { args: ['order', 'list', '--user', 'nobody'], exit: 3, code: 'user_not_found' },
  { args: ['order', 'cancel', UNKNOWN_ID], exit: 3, code: 'not_found' },
  {
    args: ['order', 'simulate', UNKNOWN_ID, '--delay', '31536001'],
    exit: 2,
    code: 'invalid_request',
    message: /delay/,
  },
  { args: ['order', 'result', UNKNOWN_ID], exit: 3, code: 'not_found' },
  { args: ['order', 'pdf', UNKNOWN_ID, '-o', 'none.pdf'], exit: 3, code: 'not_found' },
  { args: ['import', 'absent.xml', '--user', 'ada'], exit: 2, code: 'usage', message: /absent\.xml/ },
  { args: ['import', 'cut.xml', '--user', 'ada'], exit: 2, code: 'invalid_file' },
  // any JSON could be a table with named fields: the refusal explains how
  { args: ['import', 'broken.json', '--user', 'ada'], exit: 2, code: 'invalid_request', message: /--map/ },
  { args: ['import', 'list', '--user', 'nobody'], exit: 3, code: 'user_not_found' },
  { args: ['import', 'undo', UNKNOWN_ID], exit: 3, code: 'not_found' },
  { args: ['import', 'remap', UNKNOWN_ID], exit: 3, code: 'not_found' },
  { args: ['import', 'remap'], exit: 2, code: 'usage', message: /--user, --format or both/ },
  {
    args: ['import', 'remap', UNKNOWN_ID, '--user', 'ada'],
    exit: 2,
    code: 'usage',
    message: /--user, --format or both/,
  },
  { args: ['import', 'remap', '--user', 'ada', '--all'], exit: 2, code: 'usage', message: /--dry-run/ },
  {
    args: ['engine', 'team', 'set', 'local', '--keep-imports', 'long'],
    exit: 2,
    code: 'usage',
    message: /1d to 3650d/,
  },
  { args: ['user', 'export', 'nobody', '-o', 'nobody-export'], exit: 3, code: 'user_not_found' },
  {
    args: ['timeseries', 'delete', 'ada', 'steps', '--start', '2020-01-01', '--end', '2020-01-02'],
    exit: 2,
    code: 'missing_input',
    message: /--yes/,
  },
  { args: ['mcp', '--max-result-bytes', '10'], exit: 2, code: 'usage', message: /max-result-bytes/ },
  { args: ['listen', '--forward-to', 'ftp://localhost'], exit: 2, code: 'usage', message: /https/ },
  {
    args: ['listen', '--events', 'daily.data.stepz.created'],
    exit: 2,
    code: 'usage',
    message: /daily\.data\.steps\.created/,
  },
  {
    args: ['event', 'test-consumer', 'http://127.0.0.1:1/hooks', '--event-type', 'daily.data.stepz.created'],
    exit: 2,
    code: 'usage',
    message: /daily\.data\.steps\.created/,
  },
  {
    args: ['event', 'test-consumer', 'http://127.0.0.1:1/hooks'],
    exit: 7,
    code: 'network',
    message: /nothing listens/,
  },
  {
    args: ['open', '--base-url', 'http://127.0.0.1:1'],
    options: { env: { SVC_API_KEY: 'sk_us_of-a-server' } },
    exit: 7,
    code: 'network',
  },
  {
    args: ['serve', '--host', '0.0.0.0', '--insecure-http', '--console', '--port', '0'],
    exit: 2,
    code: 'usage',
    message: /https/,
  },
  { args: ['serve', '--port', '70000'], exit: 2, code: 'usage', message: /port/i },
  { args: ['serve', '--host', '0.0.0.0', '--port', '0'], exit: 2, code: 'usage' },
  {
    args: ['engine', 'clock', 'show', '--base-url', 'http://127.0.0.1:1'],
    options: { env: { SVC_API_KEY: 'sk_us_0123456789abcdef', SVC_TIMEOUT: '500ms' } },
    exit: 7,
    code: 'network',
  },
  {
    args: ['engine', 'key', 'public', '--base-url', 'http://127.0.0.1:1'],
    options: { env: { SVC_API_KEY: 'sk_us_0123456789abcdef', SVC_TIMEOUT: '500ms' } },
    exit: 7,
    code: 'network',
  },
  { args: ['engine', 'clock', 'set', 'someday'], exit: 2, code: 'invalid_request' },
  { args: ['engine', 'clock', 'advance', '7 days'], exit: 2, code: 'invalid_request' },
  { args: ['engine', 'status', 'all'], exit: 2, code: 'usage' },
  { args: ['engine', 'deprecations', 'all'], exit: 2, code: 'usage' },
  { args: ['engine', 'check', '--data-dir', '/dev/null/x'], exit: 2, code: 'data_folder' },
  { args: ['engine', 'salvage', '--to', '.'], exit: 2, code: 'usage', message: /not empty/ },
  {
    args: ['engine', 'copy', '--from', 'nowhere', '--to', 'moved'],
    exit: 2,
    code: 'data_folder',
    message: /no store in/,
  },
  {
    args: ['engine', 'copy', '--from', 'copied', '--to', 'postgres://svc:hunter2@127.0.0.1:1/svc'],
    exit: 2,
    code: 'usage',
    message: /--to contains a password/,
  },
  {
    args: ['engine', 'copy', '--from', 'copied', '--to', 'moved', '--data-dir', 'data'],
    exit: 2,
    code: 'usage',
    message: /--from and --to/,
  },
  { args: ['engine', 'team', 'show', 'nobody'], exit: 3, code: 'not_found' },
  { args: ['engine', 'run-due', '--now'], exit: 2, code: 'usage' },
  { args: ['engine', 'jobs', '--kind', 'purges'], exit: 2, code: 'usage', message: /purge/ },
  { args: ['engine', 'team', 'create', 'local'], exit: 5, code: 'conflict' },
  { args: ['engine', 'team', 'set', 'acme 3', '--user-limit', '1'], exit: 3, code: 'not_found', message: /acme 2/ },
  { args: ['engine', 'team', 'set', 'acme 2'], exit: 2, code: 'usage' },
  { args: ['engine', 'team', 'show', 'acme 3'], exit: 3, code: 'not_found', message: /acme 2/ },
  { args: ['engine', 'team', 'set', 'acme 2', '--max-bytes', '5 houses'], exit: 2, code: 'usage', message: /5GiB/ },
  { args: ['engine', 'team', 'set', 'acme 2', '--max-in-flight', '0'], exit: 2, code: 'invalid_request' },
  { args: ['engine', 'team', 'set', 'acme 2', '--beta', 'all=on'], exit: 2, code: 'usage', message: /user-info=on/ },
  { args: ['engine', 'key', 'create', UNKNOWN_ID], exit: 3, code: 'not_found' },
  { args: ['engine', 'key', 'revoke', UNKNOWN_ID], exit: 2, code: 'missing_input', message: /--yes/ },
  { args: ['engine', 'key', 'revoke', 'sk_us_key', '--yes'], exit: 2, code: 'invalid_request' },
  { args: ['engine', 'key', 'list', '--limit', '1001'], exit: 2, code: 'invalid_request' },
  { args: ['engine', 'person', 'add', 'Eve', '--role', 'admin'], exit: 2, code: 'usage', message: /reader/ },
  { args: ['engine', 'person', 'list', '--team', 'nobody'], exit: 3, code: 'not_found' },
  {
    args: ['engine', 'person', 'set', 'Ben', '--role', 'owner'],
    exit: 3,
    code: 'not_found',
    message: /no person/,
  },
  { args: ['engine', 'person', 'set', 'Ana'], exit: 2, code: 'usage', message: /nothing to change/ },
  { args: ['engine', 'person', 'sign-in', UNKNOWN_ID], exit: 3, code: 'not_found' },
  { args: ['engine', 'person', 'remove', UNKNOWN_ID], exit: 2, code: 'missing_input', message: /--yes/ },
  { args: ['engine', 'passkey', 'list', 'all'], exit: 2, code: 'usage' },
  { args: ['engine', 'passkey', 'remove', UNKNOWN_ID], exit: 3, code: 'not_found' },
  { args: ['engine', 'session', 'list', 'all'], exit: 2, code: 'usage' },
  { args: ['engine', 'session', 'end', UNKNOWN_ID], exit: 3, code: 'not_found' },
  { args: ['engine', 'audit', '--operation', 'user.creat'], exit: 2, code: 'usage', message: /user\.create/ },
  { args: ['engine', 'audit', '--since', 'monday'], exit: 2, code: 'invalid_request' },
  { args: ['webhook', 'create', 'https://10.0.0.1/'], exit: 2, code: 'invalid_request', message: /private address/ },
  {
    args: ['webhook', 'create', 'http://localhost:9', '--event-type', 'daily.data.stepz.*'],
    exit: 2,
    code: 'invalid_request',
    message: /event types/,
  },
  { args: ['webhook', 'list', 'all'], exit: 2, code: 'usage' },
  { args: ['webhook', 'get', UNKNOWN_ID], exit: 3, code: 'not_found', message: /webhook list/ },
  { args: ['webhook', 'update', UNKNOWN_ID], exit: 2, code: 'usage' },
  { args: ['webhook', 'update', UNKNOWN_ID, '--rate-limit', 'fast'], exit: 2, code: 'usage', message: /none/ },
  { args: ['webhook', 'disable', 'http://localhost:1/'], exit: 3, code: 'not_found' },
  { args: ['webhook', 'enable', UNKNOWN_ID], exit: 3, code: 'not_found' },
  { args: ['webhook', 'delete', UNKNOWN_ID], exit: 2, code: 'missing_input', message: /--yes/ },
  { args: ['webhook', 'rotate-secret', UNKNOWN_ID, '--overlap', '8d'], exit: 2, code: 'usage', message: /at most 7d/ },
  { args: ['webhook', 'rotate-secret', UNKNOWN_ID, '--overlap', 'long'], exit: 2, code: 'usage', message: /24h/ },
  { args: ['webhook', 'test', UNKNOWN_ID], exit: 3, code: 'not_found' },
  { args: ['event', 'sign', '--body', 'body.json'], exit: 2, code: 'missing_input', message: /SVC_WEBHOOK_SECRET/ },
  {
    args: ['event', 'verify', '--body', 'broken.json', '--headers', 'headers.txt', '--secret-stdin'],
    options: { input: SIGNING_SECRET },
    exit: 5,
    code: 'verification_failed',
    message: /no_match/,
  },
  { args: ['engine', 'snapshot', 'export', 'backup.db'], exit: 5, code: 'conflict', message: /--force/ },
  { args: ['engine', 'record', 'export.xml'], exit: 5, code: 'conflict' },
  { args: ['engine', 'record', 'other.ndjson', '--for', 'ever'], exit: 2, code: 'usage', message: /--for/ },
  { args: ['engine', 'replay', 'export.xml'], exit: 5, code: 'conflict', message: /not empty/ },
  { args: ['engine', 'replay', 'export.xml', '--data-dir', 'none'], exit: 2, code: 'invalid_file', message: /record/ },
  { args: ['engine', 'snapshot', 'save', 'a/b'], exit: 2, code: 'invalid_request', message: /letters, digits/ },
  { args: ['engine', 'snapshot', 'restore', 'base'], exit: 2, code: 'missing_input', message: /--yes/ },
  { args: ['engine', 'snapshot', 'restore', 'nowhere', '--yes'], exit: 3, code: 'not_found' },
  { args: ['engine', 'snapshot', 'delete', 'nowhere'], exit: 2, code: 'missing_input', message: /--yes/ },
  { args: ['engine', 'snapshot', 'delete', 'nowhere', '--yes'], exit: 3, code: 'not_found' },
  { args: ['engine', 'snapshot', 'list', 'all'], exit: 2, code: 'usage' },
  { args: ['engine', 'reset'], exit: 2, code: 'missing_input', message: /--yes/ },
  { args: ['engine', 'clock', 'freeze', 'noon'], exit: 2, code: 'invalid_request' },
  { args: ['engine', 'clock', 'freeze', '2026-11-20T08:30:00Z', '--off'], exit: 2, code: 'usage' },
  { args: ['engine', 'fault', 'add', 'GET /v2/*=200'], exit: 2, code: 'usage', message: /400 to 599/ },
  { args: ['engine', 'fault', 'add', 'FETCH /v2/*=500'], exit: 2, code: 'usage', message: /PATCH/ },
  { args: ['engine', 'fault', 'add', '500:2'], exit: 2, code: 'usage', message: /probability/ },
  { args: ['engine', 'fault', 'list', 'all'], exit: 2, code: 'usage' },
  { args: ['engine', 'fault', 'clear', '99'], exit: 3, code: 'not_found', message: /fault list/ },
  { args: ['engine', 'fault', 'clear', 'all'], exit: 2, code: 'usage' },
  { args: ['serve', '--port', '0', '--fault', 'everything'], exit: 2, code: 'usage', message: /--fault/ },
  { args: ['serve', '--port', '0', '--latency', '503'], exit: 2, code: 'usage', message: /--latency/ },
  { args: ['engine', 'snapshot', 'export', 'data/svc.db', '--force'], exit: 5, code: 'conflict', message: /in use/ },
  { args: ['engine', 'snapshot', 'export', 'no/folder/backup.db'], exit: 2, code: 'usage' },
  {
    args: ['engine', 'team', 'list'],
    options: { env: { SVC_API_KEY: 'sk_us_of-a-server-elsewhere' } },
    exit: 4,
    code: 'invalid_api_key',
  },
  { args: ['profile', 'add', 'local'], exit: 5, code: 'conflict' },
  { args: ['profile', 'add', 'x', '--keychain'], exit: 2, code: 'missing_input', message: /--api-key-stdin/ },
  { args: ['profile', 'add', 'x', '--base-url', 'ftp://example.com'], exit: 2, code: 'usage' },
  { args: ['profile', 'list'], options: { env: { SVC_CONFIG_DIR: 'broken-config' } }, exit: 2, code: 'profile_file' },
  { args: ['profile', 'show', 'nowhere'], exit: 2, code: 'unknown_profile' },
  { args: ['profile', 'use', 'locl'], exit: 2, code: 'unknown_profile', message: /local/ },
  { args: ['profile', 'remove', 'local'], exit: 2, code: 'usage' },
  { args: ['whoami', '--profile', 'nowhere'], exit: 2, code: 'unknown_profile' },
  { args: ['link', 'password', 'whoop', '--username', 'a'], exit: 2, code: 'missing_input', message: /SVC_LINK_TOKEN/ },
  {
    args: ['api', 'POST', '/v2/user'],
    options: { input: '{"client_user_id":"eve"}' },
    exit: 2,
    code: 'missing_input',
    message: /--input -/,
  },
  { args: ['api', 'GET', '/healthz'], exit: 3, code: 'not_found', message: /svc serve/ },
  { args: ['api', 'GET', '/v2/user', '--idempotency-key', 'once'], exit: 2, code: 'usage', message: /POST/ },
  { args: ['api', 'GET', '/v2/nothing'], exit: 3, code: 'not_found' },
  { args: ['api', 'DELETE', '/v2/providers'], exit: 5, code: 'method_not_allowed' },
  { args: ['usr', 'list'], exit: 2, code: 'usage', message: /user list/ },
]

beforeAll(async () => {
  const record =
    '<Record type="HKQuantityTypeIdentifierStepCount" sourceName="Watch" unit="count" value="12" ' +
    'startDate="2026-11-01 08:00:00 +0100" endDate="2026-11-01 08:05:00 +0100"/>'
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<HealthData locale="en_GB">\n${record}\n</HealthData>\n`
  writeFileSync(path.join(sandbox.folder, 'export.xml'), xml)
  writeFileSync(path.join(sandbox.folder, 'cut.xml'), xml.slice(0, -30))
  writeFileSync(path.join(sandbox.folder, 'broken.json'), '{"timeframe":')
  writeFileSync(path.join(sandbox.folder, 'body.json'), '{}')
  mkdirSync(path.join(sandbox.folder, 'broken-config'))
  writeFileSync(path.join(sandbox.folder, 'broken-config', 'profiles.json'), 'current: staging')
})

const dataDir = (): string => sandbox.env['SVC_DATA_DIR'] as string

describe('a command with --json', () => {
  let kept = ''
  test.each(good)('prints one document: $args', async ({ args, options, holds, keep }) => {
    // SQLite closes the handles of earlier commands in this process late, and writes to the file then
    if (args.includes('copied')) cpSync(dataDir(), path.join(sandbox.folder, 'copied'), { recursive: true })
    const run = await sandbox.run(
      [...args.flatMap(word => (word === KEPT ? kept.split(' ') : word)), '--json'],
      options,
    )
    expect(run, run.stderr).toMatchObject({ status: 0 })
    const document: unknown = JSON.parse(run.stdout)
    if (Array.isArray(document)) expect(document).toEqual(holds)
    else expect(document).toMatchObject(holds as object)
    expect(run.stderr).not.toMatch(/\n\s+at /)
    if (keep) kept = keep(document as never)
  })

  test.concurrent.each(bad)(
    'fails with an empty stdout and one error document: $args',
    async ({ args, options, exit, code, message }) => {
      const run = await sandbox.run([...args, '--json'], options)
      expect(run.stdout).toBe('')
      const { error } = JSON.parse(run.stderr) as { error: Record<string, unknown> }
      expect({ exit: run.status, code: error['code'] }, run.stderr).toEqual({ exit, code })
      expect(Object.keys(error).sort()).toEqual(['category', 'code', 'detail', 'message', 'status', 'suggestions'])
      expect(error['suggestions'], run.stderr).not.toEqual([])
      expect(error['message'], 'the remedy is in the suggestions').not.toMatch(REMEDY)
      if (message) expect(JSON.stringify(error)).toMatch(message)
      expect(run.stderr).not.toMatch(/\n\s+at /)
    },
  )

  test('prints a failed link too, and exits with 6', async () => {
    const run = await sandbox.run(
      ['link', 'password', 'zwift', '--user', 'ada', '--username', 'a', '--password-stdin', '--json'],
      { input: 'wrong\n' },
    )
    expect(run.status).toBe(6)
    expect(JSON.parse(run.stdout)).toMatchObject({ state: 'error', error_type: 'provider_credential_error' })
    expect(JSON.parse(run.stderr)).toMatchObject({
      error: {
        code: 'link_failed',
        message: 'The link failed: provider_credential_error (Invalid username or password).',
        suggestions: ['Check the user name and the password, or allow access on the page of the provider.'],
      },
    })
  })

  test('is tested in success and in failure, whichever command it is', () => {
    const manifest = JSON.parse(readFileSync(path.join(root, 'oclif.manifest.json'), 'utf8')) as { commands: object }
    const ids = Object.keys(manifest.commands).filter(id => id !== 'help')
    const missing = (cases: readonly Case[]) =>
      ids.filter(id => !cases.some(({ args }) => id.split(':').every((word, i) => args[i] === word)))
    // they need a handler or a server with a console, or do not end by themselves: listen.test.ts, people-commands.test.ts, open.test.ts and
    // serve.test.ts cover their success
    expect(missing(good)).toEqual([
      'engine:passkey:remove',
      'engine:person:sign-in',
      'engine:session:end',
      'event:test-consumer',
      'open',
      'serve',
    ])
    expect(missing(bad)).toEqual([])
  })
})
