/** The stored sessions of a merged night or workout: what each one contributes, and a button that opens it. */
import { Fragment } from 'preact'
import { readableName } from '../../../catalogue/wording.ts'
import { Button } from '../../parts/button.tsx'
import { momentText } from '../../parts/chart/readout.ts'
import { Facts } from '../../parts/page.tsx'
import { listText } from './merging.ts'
import type { Member, Merged } from './sessions.ts'

interface MembersProps<T> {
  readonly merged: Merged<T>
  /** Returns the floating times of a stored session. */
  readonly timesOf: (stored: T) => readonly [number, number]
  /** What the best source contributes: "Times, stages and values". */
  readonly values: string
  readonly onOpen: (id: string) => void
}

export function Members<T>({ merged, timesOf, values, onOpen }: MembersProps<T>) {
  if (merged.members.length === 0) return null
  const timeTexts = (stored: T | null) => (stored === null ? [] : [spanText(...timesOf(stored))])
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
export function spanText(from: number, to: number): string {
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
