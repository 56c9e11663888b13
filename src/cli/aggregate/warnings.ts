/** Turns the warnings about an aggregate query into lines for stderr. See docs/interface/merging.md#merging-8. */
import { columnKindsNamed, kindField } from '../../catalogue/column-kinds.ts'
import { allLimitsText, limitsOf } from '../../catalogue/plausibility.ts'
import { isDivisible, resourceNamed } from '../../catalogue/resources.ts'
import type { QueryBatchInput } from '../../contract/aggregates/aggregate.ts'
import type { QueryWarning } from '../../contract/aggregates/warnings.ts'
import { WARNINGS_HEADER } from '../../contract/aggregates/warnings-header.ts'
import { formatCount, listText } from '../../core/text.ts'

/** Returns a line for each warning in a response's headers. Warnings that this version does not know are left out. */
export function warningLines(
  headers: Readonly<Record<string, string>>,
  queries: QueryBatchInput['queries'],
  how: 'flags' | 'file',
): readonly string[] {
  return parsed(headers[WARNINGS_HEADER]).flatMap(warning => {
    const line = worded(warning, queries, how === 'flags' ? '--merge' : '"merge": true')
    return line === null ? [] : [queries.length > 1 ? `Query ${warning.query}: ${line}` : line]
  })
}

function parsed(header: string | undefined): readonly Partial<QueryWarning>[] {
  try {
    const list: unknown = JSON.parse(header ?? '[]')
    return Array.isArray(list) ? list.filter(each => typeof each === 'object' && each !== null) : []
  } catch {
    // another service may use this header for something else
    return []
  }
}

function worded(warning: Partial<QueryWarning>, queries: QueryBatchInput['queries'], merge: string): string | null {
  const { resource } = warning
  if (typeof resource !== 'string') return null
  const subject = subjectOf(resource)
  if (warning.code === 'totals_without_value') {
    const { totals = 0 } = warning
    const days = totals === 1 ? 'the total of 1 day counts' : `the totals of ${formatCount(totals)} days count`
    const what = totals === 1 ? 'which has no value' : 'which have no value'
    return `${subject}: ${days}, ${what} in shorter buckets. Group by 1d or longer to see ${totals === 1 ? 'it' : 'them'}.`
  }
  if (warning.code === 'naps_left_out') {
    const { naps = 0 } = warning
    const what = naps === 1 ? '1 nap is' : `${formatCount(naps)} naps are`
    return `${subject}: ${what} not counted. Group by role to see naps and nights apart.`
  }
  if (warning.code === 'mixed_kinds') {
    return Array.isArray(warning.kinds) ? `${subject}: ${mixture(warning.kinds, resource)}` : null
  }
  if (warning.code === 'implausible_values' || warning.code === 'implausible_left_out') {
    return `${subject}: ${implausible(warning.code, warning.samples ?? 0, resource)}`
  }
  if (warning.code !== 'sources_left_out') return null
  const { sources = 0, groups = 0, of = 0, query = 0 } = warning
  const others = sources === 1 ? '1 other source was' : `${formatCount(sources)} other sources were`
  const unit = unitOf(queries[query])
  return `${subject}: ${others} left out in ${formatCount(groups)} of ${formatCount(of)} ${of === 1 ? unit : `${unit}s`}. ${hint(resource, sources, merge)}`
}

/** Words in names of resources that are abbreviations. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  hrv: 'HRV',
  vo2: 'VO2',
  uv: 'UV',
  ige: 'IgE',
  igg: 'IgG',
  afib: 'AFib',
}

/** Returns a resource's name as the beginning of a sentence: `Blood oxygen`, `VO2 max`. */
function subjectOf(resource: string): string {
  if (columnKindsNamed(resource)) return resource
  const [first = '', ...rest] = resource.split('_')
  const beginning = ABBREVIATIONS[first] ?? `${first.charAt(0).toUpperCase()}${first.slice(1)}`
  return [beginning, ...rest].join(' ')
}

function mixture(kinds: readonly { readonly kind: string; readonly samples: number }[], resource: string): string {
  const counted = columnKindsNamed(resource) ? 'row' : 'sample'
  const found = kinds.map(
    ({ kind, samples }) => `${kind} (${formatCount(samples)} ${samples === 1 ? counted : `${counted}s`})`,
  )
  const field = kindField(resource)
  return `the result mixes ${listText(found)}. Choose one, such as where ${field} = '${kinds[0]?.kind}', or group by ${field}.`
}

function implausible(code: 'implausible_values' | 'implausible_left_out', samples: number, resource: string): string {
  const known = resourceNamed(resource)
  const limits = limitsOf(resource)
  const range = known && limits ? ` outside ${allLimitsText(limits, known.unit)}` : ' outside the limits'
  const field = `${queryName(resource)}.implausible`
  const count = samples === 1 ? '1 sample' : `${formatCount(samples)} samples`
  if (code === 'implausible_values') {
    return `the result includes ${count}${range}. To leave ${samples === 1 ? 'it' : 'them'} out, add where ${field} = false.`
  }
  return `${count}${range} ${samples === 1 ? 'is' : 'are'} left out. Group by ${field} to include ${samples === 1 ? 'it' : 'them'}.`
}

function queryName(resource: string): string {
  return resourceNamed(resource)?.queryName ?? resource
}

function hint(resource: string, sources: number, merge: string): string {
  if (resource === 'sleep') return `${merge} makes one row of each night, and keeps the nights of all sources.`
  if (resource === 'workout') return `${merge} makes one row of each workout, and keeps the workouts of all sources.`
  const known = resourceNamed(resource)
  if (!known || known.shape === 'text') return '`svc aggregate explain` shows which.'
  if (!isDivisible(known)) return `${merge} uses one source a day.`
  return `${merge} counts what only ${sources === 1 ? 'that source covers' : 'they cover'}.`
}

/** Returns what the groups of a query are called. */
function unitOf(query: QueryBatchInput['queries'][number] | undefined): string {
  if (query?.mixed_kinds === 'split') return 'group'
  const keys = (query?.from?.query ?? query)?.group_by ?? []
  const [key] = keys
  if (keys.length !== 1 || key === undefined || !('date_trunc' in key) || (key.date_trunc.value ?? 1) !== 1)
    return 'group'
  return key.date_trunc.unit
}
