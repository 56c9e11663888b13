/** Explains one number: what made it, by source, with the origin of the data, and what was left out. */
import { useState } from 'preact/hooks'
import { unitText } from '../../../../catalogue/wording.ts'
import type { ResponseOf } from '../../../api/call.ts'
import { useLoad } from '../../../api/use-call.ts'
import { momentText, numberText, withUnit } from '../../../parts/chart/readout.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { Field } from '../../../parts/field.tsx'
import { Facts } from '../../../parts/page.tsx'
import { PagedTable } from '../../../parts/paged-table.tsx'
import { dateText } from '../../../parts/period.tsx'
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
  /** A local day, such as `2026-11-20`, or an ISO week, a month or a year. */
  readonly period: string
  readonly where?: string | undefined
  /** Whether sources are merged; absent if the team decides. */
  readonly merge?: boolean | undefined
  readonly mixedKinds?: 'warn' | 'refuse' | undefined
  /** Names the number, such as "Steps". */
  readonly of: string
  /** The number as the page shows it, if it may be of a part of the period. */
  readonly shown?: number
}

interface WhyDialogProps {
  readonly userId: string
  /** At least one. */
  readonly questions: readonly Question[]
  readonly onClose: () => void
}

const PER_PAGE = 8
/** Samples and records to load. The numbers are about all of them. */
const MOST = 1_000

export function WhyDialog({ userId, questions, onClose }: WhyDialogProps) {
  const [at, setAt] = useState('0')
  const question = questions[Number(at)]
  return (
    <Dialog title="Why this number?" onClose={onClose} isWide>
      {questions.length > 1 && (
        <Field
          label="Number"
          value={at}
          onChange={setAt}
          options={questions.map(({ of }, i) => ({ value: `${i}`, label: of }))}
        />
      )}
      {question && <Answer key={at} {...{ userId, question }} />}
    </Dialog>
  )
}

function Answer({ userId, question }: { readonly userId: string; readonly question: Question }) {
  const { func, column, period, where, merge, mixedKinds, shown } = question
  const query = { function: func, column, period, where, merge, mixed_kinds: mixedKinds, limit: MOST }
  const load = useLoad('aggregate.why', { params: { user_id: userId }, query })
  return (
    <>
      <Loaded load={load} lines={8}>
        {why => (
          <>
            {shown !== undefined && why.value !== shown && (
              <p>{`The query covers only a part of this period, for which it shows ${numberText(shown)}.`}</p>
            )}
            <Explained why={why} />
          </>
        )}
      </Loaded>
      <Command
        words={['svc', 'why', `${func}(${column})`, userId, period]}
        flags={{ '--merge': merge, '--no-merge': merge === false, '--where': where, '--mixed-kinds': mixedKinds }}
      />
    </>
  )
}

function Explained({ why }: { readonly why: Why }) {
  const { question, value, unit, summary, sources, left_out: leftOut, rules, samples, samples_total: total } = why
  const used = sources.filter(each => each.used)
  return (
    <div class="stack">
      <p>
        <strong>{typeof value === 'number' ? withUnit(value, unitText(unit ?? '')) : 'No value'}</strong>
        <span class="soft">{`, ${question.function}(${question.column}) of ${dateText(question.period)}`}</span>
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
