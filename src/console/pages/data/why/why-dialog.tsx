/** Explains one number: what made it, by source, with the origin of the data, and what was left out. */
import { unitText } from '../../../../catalogue/wording.ts'
import type { ResponseOf } from '../../../api/call.ts'
import { useLoad } from '../../../api/use-call.ts'
import { momentText, numberText, withUnit } from '../../../parts/chart/readout.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { Facts } from '../../../parts/page.tsx'
import { PagedTable } from '../../../parts/paged-table.tsx'
import { Command } from '../../../parts/small.tsx'
import { Loaded } from '../../../parts/states.tsx'
import { count } from '../../../parts/table.tsx'
import { sharesText } from '../merging.ts'
import { sourceText } from '../resources.ts'

type Why = ResponseOf<'aggregate.why'>

/** A number that the console shows. */
export interface Question {
  readonly func: string
  readonly column: string
  /** A local day, such as `2026-11-20`. */
  readonly day: string
  readonly where?: string | undefined
}

interface WhyDialogProps extends Question {
  readonly userId: string
  readonly onClose: () => void
}

const PER_PAGE = 8
/** Samples and records to load. The numbers are about all of them. */
const MOST = 1_000

export function WhyDialog({ userId, func, column, day, where, onClose }: WhyDialogProps) {
  const query = {
    function: func,
    column,
    period: day,
    merge: true,
    limit: MOST,
    ...(where === undefined ? {} : { where }),
  }
  const load = useLoad('aggregate.why', { params: { user_id: userId }, query })
  return (
    <Dialog title="Why this number?" onClose={onClose} isWide>
      <Loaded load={load} lines={8}>
        {why => <Explained why={why} />}
      </Loaded>
      <Command
        words={[
          'svc',
          'why',
          `${func}(${column})`,
          userId,
          day,
          '--merge',
          ...(where === undefined ? [] : ['--where', where]),
        ]}
      />
    </Dialog>
  )
}

function Explained({ why }: { readonly why: Why }) {
  const { question, value, unit, summary, sources, left_out: leftOut, rules, samples, samples_total: total } = why
  const used = sources.filter(each => each.used)
  return (
    <div class="stack">
      <p>
        <strong>{typeof value === 'number' ? withUnit(value, unitText(unit ?? '')) : 'No value'}</strong>
        <span class="soft">{`, ${question.function}(${question.column}) of ${question.period}`}</span>
      </p>
      <p>{summary}</p>
      <Facts
        rows={[
          ['From', sharesText(used.map(each => ({ source: nameOf(each), share: each.share ?? 1 / used.length })))],
          ...sources.map(each => [nameOf(each), sourceNote(each)] as const),
          ['Formula', why.formula],
          ['Rules', rules.map(({ rule, text }) => <div key={rule}>{`${text} (${rule})`}</div>)],
        ]}
      />
      {leftOut.length > 0 && (
        <>
          <h3>Left out</h3>
          <ul>
            {leftOut.map(each => (
              <li key={`${nameOf(each)} ${each.code}`}>
                {`${nameOf(each)}: ${amountOf(each, unit)}, because ${each.reason} (${each.rule})`}
              </li>
            ))}
          </ul>
        </>
      )}
      {total > 0 && (
        <PagedTable
          label="Samples that count"
          columns={[
            { title: 'Start', cell: ({ start }) => <span class="data-nowrap">{localText(start)}</span> },
            { title: 'Counts', isNumber: true, cell: ({ counted }) => cellText(counted) },
            { title: 'Source', cell: ({ source }) => (sources[source] ? nameOf(sources[source]) : '') },
            { title: 'Origin', cell: ({ origin }) => originText(why.origins[origin]) },
          ]}
          rows={samples}
          rowKey={({ start, source }) => `${start} ${source}`}
          perPage={PER_PAGE}
          noun="samples"
        />
      )}
      {total > samples.length && (
        <p class="soft">{`Only the first ${count(samples.length)} of ${count(total)} samples.`}</p>
      )}
      <p class="soft">{`Signed with the key ${why.signature.kid} of this store.`}</p>
    </div>
  )
}

function nameOf(source: { readonly provider: string; readonly source_type: string; readonly app_id?: string | null }) {
  const name = sourceText({ provider: source.provider, type: source.source_type })
  return source.app_id ? `${name} · ${source.app_id}` : name
}

function sourceNote({ rank, used, rows, rows_used: rowsUsed, reason }: Why['sources'][number]): string {
  const what = used ? `${count(rowsUsed)} of ${count(rows)} rows count` : `none of ${count(rows)} rows count`
  return `rank ${rank}: ${reason}; ${what}`
}

function amountOf({ rows, value }: Why['left_out'][number], unit: string | null): string {
  const text = `${count(rows)} ${rows === 1 ? 'row' : 'rows'}`
  return value === null ? text : `${withUnit(value, unitText(unit ?? ''))} in ${text}`
}

function cellText(value: Why['samples'][number]['counted']): string {
  return typeof value === 'number' ? numberText(value) : `${value ?? ''}`
}

/** Returns a floating time for display. */
function localText(time: string): string {
  return momentText(Date.parse(`${time}Z`) / 1000)
}

const ORIGINS: Readonly<Record<Why['origins'][number]['kind'], string>> = {
  import: 'imported',
  pull: 'pulled',
  push: 'pushed by an application',
  simulated: 'simulated',
  unknown: 'not kept',
}

function originText(origin: Why['origins'][number] | undefined): string {
  if (origin === undefined) return ''
  const { kind, format, import_id: importId, collection, record_id: recordId } = origin
  return [ORIGINS[kind], format, importId?.slice(0, 8), collection, recordId].filter(Boolean).join(' · ')
}
