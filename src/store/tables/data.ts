/** Tables for users' data: samples in chunks, summaries, workout streams, imports, and results of continuous queries. */
import { SUMMARY_KINDS } from '../../core/sample.ts'
import { formatInstant } from '../../core/time.ts'
import { TASK_STATUSES } from '../continuous-query.ts'
import { shownName, table } from './table.ts'

/** `kind` of a series from before schema 11, whose samples may differ in app, device and kind. See logic/samples/series.ts. */
export const MIXED_SERIES = '*'

/** `app_id`, `device_id` and `kind` are empty if the samples show none. */
export const SERIES = table({
  name: 'series',
  owner: 'user',
  life: 'state',
  columns: {
    user_id: 'text',
    series_id: 'number',
    resource: 'text',
    type: 'text',
    provider: 'text',
    source_type: 'text',
    checksum: 'number?',
    app_id: { type: 'text', default: '' },
    device_id: { type: 'text', default: '' },
    kind: { type: 'text', default: MIXED_SERIES },
  },
  key: ['user_id', 'series_id'],
  hasRowid: true,
  indexes: {
    series_by_origin: 'UNIQUE (user_id, resource, type, provider, source_type, app_id, device_id, kind)',
  },
  checksums: [{ added: ['app_id', 'device_id', 'kind'], named: row => `series ${row.series_id}` }],
})

/** `data_checksum` covers the blob and its key (logic/rows/chunk-data.ts), and `checksum` covers the other columns. */
export const CHUNK = table({
  name: 'chunk',
  owner: 'user',
  life: 'state',
  columns: {
    user_id: 'text',
    series_id: 'number',
    chunk_start: 'number',
    span: 'number',
    n: { type: 'number', tellsChange: true },
    first: 'number',
    last: 'number',
    min: 'real?',
    max: 'real?',
    sum: 'real?',
    rev: 'number',
    data: { type: 'blob', counts: true, isPacked: true },
    data_checksum: 'number?',
    checksum: 'number?',
  },
  key: ['user_id', 'series_id', 'chunk_start'],
  hasRowid: true,
  aside: ['data', 'data_checksum'],
  checksums: [{ named: row => `the chunk of series ${row.series_id} at ${instantText(row.chunk_start)}` }],
  needs: [
    {
      table: 'series',
      by: ['user_id', 'series_id'],
      label: "'samples of series '||series_id",
      reason: 'their series is lost',
    },
  ],
})

export const SUMMARY = table({
  name: 'summary',
  owner: 'user',
  life: 'state',
  columns: {
    user_id: 'text',
    kind: { type: 'text', oneOf: SUMMARY_KINDS },
    id: 'text',
    provider: 'text',
    source_type: 'text',
    app_id: 'text?',
    device_id: 'text?',
    at: 'number',
    date: 'text',
    zone_offset: 'number?',
    document: { type: 'text', json: 'object or list', counts: true },
    created_at: 'number',
    updated_at: 'number',
    checksum: 'number?',
  },
  key: ['user_id', 'kind', 'id'],
  hasRowid: true,
  indexes: { summary_by_date: '(user_id, kind, date, at, id)' },
  checksums: [
    {
      // the text that SQLite writes in readSummaries
      text: row => {
        const { id, provider, source_type, app_id, device_id, at, date, zone_offset, created_at, updated_at } = row
        const context = [id, provider, source_type, app_id, device_id, at, date, zone_offset, created_at, updated_at]
        return `${summaryOwner(row.user_id, row.kind)}[${JSON.stringify(context)},${row.document}]`
      },
      named: row => `the ${shownName(row.kind)} summary ${shownName(row.id)} of ${dayText(row.date)}`,
    },
  ],
})

export function summaryOwner(userId: string, kind: string): string {
  return `${userId}\n${kind}\n`
}

export const STREAM = table({
  name: 'stream',
  owner: 'user',
  life: 'state',
  columns: {
    user_id: 'text',
    workout_id: 'text',
    provider: 'text',
    source_type: 'text',
    n: 'number',
    rev: 'number',
    created_at: 'number',
    updated_at: 'number',
    data: { type: 'blob', counts: true, isPacked: true },
    checksum: 'number?',
  },
  key: ['user_id', 'workout_id'],
  hasRowid: true,
  checksums: [{ blob: 'data', named: row => `the stream of workout ${shownName(row.workout_id)}` }],
})

/** Imports. An import's data is in its events, from `first_sequence` to `last_sequence`. */
export const IMPORT = table({
  name: 'import',
  owner: 'user',
  life: 'state',
  columns: {
    user_id: 'text',
    import_id: 'text',
    at: 'number',
    format: 'text',
    report: { type: 'text', json: 'object or list', isLarge: true },
    first_sequence: 'number',
    last_sequence: 'number',
    undone_at: 'number?',
    checksum: 'number?',
  },
  key: ['user_id', 'import_id'],
  hasRowid: true,
  indexes: { import_by_time: '(user_id, at DESC)' },
  checksums: [{ named: row => `import ${shownName(row.import_id)}` }],
})

/** The data that an import replaced: samples as a chunk, and the previous versions of summaries and streams (null if there was none). */
export const IMPORT_BEFORE = table({
  name: 'import_before',
  owner: 'user',
  life: 'state',
  columns: {
    user_id: 'text',
    import_id: 'text',
    ord: 'number',
    kind: 'text',
    item: 'text',
    rev: 'number?',
    data: { type: 'blob?', counts: true },
    document: { type: 'text?', json: 'object or list', counts: true },
    checksum: 'number?',
  },
  key: ['user_id', 'import_id', 'ord'],
  hasRowid: true,
  checksums: [
    { blob: 'data', named: row => `the data that import ${shownName(row.import_id)} replaced, row ${row.ord}` },
  ],
  needs: [
    {
      table: 'import',
      by: ['user_id', 'import_id'],
      label: "'the data replaced by import '||import_id",
      reason: 'the import is lost',
    },
  ],
  problems: 'import',
})

/** Sealed parts of a kept import file, numbered from 0. They are stored before the import, and removed without it. */
export const IMPORT_FILE = table({
  name: 'import_file',
  owner: 'user',
  life: 'staying',
  columns: {
    user_id: 'text',
    import_id: 'text',
    part: 'number',
    /** Real time. */
    at: 'number',
    sealed: { type: 'blob', isLarge: true, isPacked: true },
  },
  key: ['user_id', 'import_id', 'part'],
  hasRowid: true,
  indexes: { import_file_by_time: '(at) WHERE part=0' },
})

/** Whether two sessions are the same, as a person has declared. `first_id` comes before `second_id`. */
export const SESSION_MATCH = table({
  name: 'session_match',
  owner: 'user',
  life: 'state',
  columns: {
    user_id: 'text',
    kind: { type: 'text', oneOf: ['sleep', 'workouts'] },
    first_id: 'text',
    second_id: 'text',
    is_same: 'number',
    declared_at: 'number',
    checksum: 'number?',
  },
  key: ['user_id', 'kind', 'first_id', 'second_id'],
  hasRowid: true,
  checksums: [{ named: row => `the correction of ${shownName(row.first_id)} and ${shownName(row.second_id)}` }],
})

export const CONTINUOUS_QUERY = table({
  name: 'continuous_query',
  owner: 'team',
  life: 'state',
  columns: {
    team_id: 'text',
    query_id: 'text',
    slug: 'text',
    title: 'text',
    definition: { type: 'text', json: 'object or list' },
    minimum_gap: 'number',
    created_at: 'number',
  },
  key: ['team_id', 'query_id'],
  indexes: { continuous_query_by_slug: 'UNIQUE (team_id, slug)' },
  cluster: 'everywhere',
})

const OF_QUERY = {
  table: 'continuous_query',
  by: ['query_id'],
  label: "'continuous query '||query_id",
  reason: 'the query is lost',
} as const

/**
 * The data touched since the last run, and the current run's input. `rev` counts the runs that have begun, so that only the latest one can
 * commit. Restoring a snapshot increases it in all rows.
 */
export const CONTINUOUS_STATE = table({
  name: 'continuous_state',
  owner: 'user',
  life: 'state',
  columns: {
    user_id: 'text',
    query_id: 'text',
    touched_from: 'number?',
    touched_to: 'number?',
    running_from: 'number?',
    running_to: 'number?',
    last_run_at: 'number?',
    rev: { type: 'number', tellsChange: true },
    last_task: { type: 'number', tellsChange: true },
    scheduled_task: 'number?',
    running_task: 'number?',
    checksum: 'number?',
  },
  key: ['user_id', 'query_id'],
  hasRowid: true,
  indexes: { continuous_state_by_query: '(query_id, user_id)' },
  checksums: [{ bare: 'rev', named: row => `the state of continuous query ${shownName(row.query_id)}` }],
  needs: [OF_QUERY],
  problems: 'continuous_query',
})

export const CONTINUOUS_ROW = table({
  name: 'continuous_row',
  owner: 'user',
  life: 'state',
  columns: {
    user_id: 'text',
    query_id: 'text',
    bucket: 'number',
    key: { type: 'text', json: 'list' },
    cells: { type: 'text', json: 'list', counts: true },
    checksum: 'number?',
  },
  key: ['user_id', 'query_id', 'bucket', 'key'],
  hasRowid: true,
  checksums: [{ named: row => `a row of continuous query ${shownName(row.query_id)}` }],
  needs: [OF_QUERY],
  problems: 'continuous_query',
})

export const CONTINUOUS_TASK = table({
  name: 'continuous_task',
  owner: 'user',
  life: 'state',
  columns: {
    user_id: 'text',
    query_id: 'text',
    number: 'number',
    status: { type: 'text', oneOf: TASK_STATUSES },
    scheduled_at: 'number',
    started_at: 'number?',
    ended_at: 'number?',
    error_details: 'text?',
    checksum: 'number?',
  },
  key: ['user_id', 'query_id', 'number'],
  hasRowid: true,
  checksums: [{ named: row => `task ${row.number} of continuous query ${shownName(row.query_id)}` }],
  needs: [OF_QUERY],
  problems: 'continuous_query',
})

function instantText(time: number): string {
  return Math.abs(time) <= 8.64e15 ? formatInstant(time) : 'an invalid time'
}

/** Returns a date for display. A damaged date may have any value. */
function dayText(date: unknown): string {
  return typeof date === 'string' && /^\d{4}-\d\d-\d\d$/.test(date) ? date : 'an invalid day'
}
