/** Warnings about a result: what it leaves out or mixes. See docs/interface/merging.md#merging-8. */
import { formatTitle, readableName } from '../../../catalogue/wording.ts'
import type { ResponseOf } from '../../api/call.ts'
import { count } from '../../parts/table.tsx'

/** A warning from the service. A newer server may send other warnings. */
export type QueryWarning = NonNullable<ResponseOf<'aggregate.query'>['results'][number]['warnings']>[number]

/** Header with the warnings about all queries, whether they merge or not. */
const HEADER = 'x-svc-warnings'

/** Reads the warnings of a response. */
export function readWarnings(response: Response): readonly QueryWarning[] {
  return JSON.parse(response.headers.get(HEADER) ?? '[]') as QueryWarning[] // the service's own header
}

export function Warnings({ warnings }: { readonly warnings: readonly QueryWarning[] }) {
  const texts = warnings.flatMap(each => warningText(each) ?? [])
  if (texts.length === 0) return null
  return (
    <ul class="note note-warn query-warnings" aria-label="Warnings">
      {texts.map(text => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  )
}

function warningText(warning: QueryWarning): string | null {
  const subject = formatTitle(warning.resource)
  switch (warning.code) {
    case 'sources_left_out': {
      const { sources, groups, of } = warning
      const others = sources === 1 ? '1 other source was' : `${count(sources)} other sources were`
      return `${subject}: ${others} left out in ${count(groups)} of ${plural(of, 'group')}. Choose “Merge sources” to use all sources.`
    }
    case 'totals_without_value': {
      const { totals } = warning
      const have = totals === 1 ? 'has' : 'have'
      return `${subject}: ${plural(totals, 'daily total')} ${have} no value in shorter periods. Group by a day or longer.`
    }
    case 'naps_left_out': {
      const { naps } = warning
      return `${subject}: ${plural(naps, 'nap')} ${naps === 1 ? 'is' : 'are'} not counted. Group by the column sleep.role to see naps too.`
    }
    case 'mixed_kinds': {
      const kinds = warning.kinds.map(({ kind, samples }) => `${readableName(kind)} (${plural(samples, 'sample')})`)
      const list = new Intl.ListFormat('en').format(kinds)
      return `${subject}: the result mixes ${list}, which are not comparable. Choose “One value for each kind” under “Mixed kinds”.`
    }
    default:
      return null
  }
}

function plural(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`
}
