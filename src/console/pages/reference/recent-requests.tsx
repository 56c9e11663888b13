/** The requests that were tried in this session. They are kept in memory only, without queries and bodies. */
import type { ApiOperation } from '../../api/api-document.ts'
import { type Session, useSession } from '../../api/session.ts'
import { Badge } from '../../parts/small.tsx'
import { type Column, count, Table } from '../../parts/table.tsx'
import { Method } from './method.tsx'

interface TriedRequest extends Pick<ApiOperation, 'operationId' | 'method' | 'path'> {
  /** HTTP status; 0 if there was no response. */
  readonly status: number
  readonly ms: number
}

/** Newest first. They end with their session. */
const tried = new WeakMap<Session, readonly TriedRequest[]>()
const MOST_KEPT = 10

export function keepRequest(session: Session, request: TriedRequest): void {
  tried.set(session, [request, ...(tried.get(session) ?? [])].slice(0, MOST_KEPT))
}

const COLUMNS: readonly Column<TriedRequest>[] = [
  { title: 'Method', cell: ({ method }) => <Method>{method}</Method> },
  { title: 'Path', cell: each => <a href={`/console/reference/${each.operationId}`}>{each.path}</a> },
  {
    title: 'Status',
    cell: ({ status }) => (
      <Badge tone={status >= 200 && status < 300 ? 'good' : 'bad'}>{status || 'no response'}</Badge>
    ),
  },
  { title: 'Duration', cell: ({ ms }) => `${count(Math.round(ms))} ms`, isNumber: true },
]

export function RecentRequests() {
  const rows = tried.get(useSession()) ?? []
  if (rows.length === 0) return null
  return (
    <>
      <h3>Recent requests</h3>
      <Table label="Recent requests" columns={COLUMNS} rows={rows} rowKey={each => `${rows.indexOf(each)}`} />
    </>
  )
}
