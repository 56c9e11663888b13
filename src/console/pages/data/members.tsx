/** The stored sessions of a merged night or workout: what each one contributes, and a button that opens it. */
import { Fragment } from 'preact'
import { readableName } from '../../../catalogue/wording.ts'
import { Button } from '../../parts/button.tsx'
import { momentText } from '../../parts/chart/readout.ts'
import type { View } from '../../parts/chart/series.ts'
import { Facts } from '../../parts/page.tsx'
import { listText } from './merging.ts'
import { type Member, type Merged, type SessionKind, timesOf } from './sessions.ts'
import type { AnySummary } from './summaries/summaries.ts'

interface MembersProps<T extends AnySummary> {
  readonly of: SessionKind<T>
  readonly merged: Merged<T>
  readonly zone: string | null
  /** What the best source contributes: "Times, stages and values". */
  readonly values: string
  readonly onOpen: (id: string) => void
}

export function Members<T extends AnySummary>({ of, merged, zone, values, onOpen }: MembersProps<T>) {
  if (merged.members.length === 0) return null
  const timeTexts = (stored: T | null) => (stored === null ? [] : [spanText(timesOf(of, stored, zone))])
  return (
    <div class="stack">
      <h3>{`Merged from ${merged.members.length} stored sessions`}</h3>
      <Facts
        rows={merged.members.map(member => [
          member.source,
          <Fragment key={member.id}>
            {`${contribution(member, values)} `}
            <span class="soft">{`(${[...timeTexts(member.stored), member.reason].join('; ')}) `}</span>
            <Button isSmall label={`Open the stored session of ${member.source}`} onClick={() => onOpen(member.id)}>
              Open
            </Button>
          </Fragment>,
        ])}
      />
    </div>
  )
}

/** Returns a period of less than a day, such as `3 Nov 2026, 23:20 to 06:40`. Times are floating. */
export function spanText({ from, to }: View): string {
  return `${momentText(from)} to ${momentText(to).split(', ')[1]}`
}

function contribution<T>({ use, fields }: Member<T>, values: string): string {
  if (use === 'values') return values
  return use === 'none' ? 'Nothing' : listText(fields.map(readableName))
}

/** A value, with its source if another source than that of the times filled it. */
export function Filled({ text, source }: { readonly text: string; readonly source: string | null }) {
  return (
    <>
      {text}
      {source !== null && <span class="soft">{`, from ${source}`}</span>}
    </>
  )
}
