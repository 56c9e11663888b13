/** Shows import reports in tables and csv. */
import { allLimitsText, limitsOf } from '../../catalogue/plausibility.ts'
import { resourceNamed } from '../../catalogue/resources.ts'
import type { ResponseOf } from '../../client/client.ts'
import { formatCount } from '../../core/text.ts'
import { fields, ranked, type View, view } from '../../output/view.ts'

export type ImportReport = ResponseOf<'import.create'>
export type PeopleReport = ResponseOf<'imports.create'>
type ListedImport = ResponseOf<'import.list'>['imports'][number]
export type UndoReport = ResponseOf<'import.undo'>

interface Line {
  readonly what: string
  readonly name: string
  readonly records: number | undefined
  readonly created?: number
  readonly replaced?: number
  readonly unchanged?: number
  readonly places?: string
  readonly first?: string | undefined
  readonly last?: string | undefined
}

/** Returns one row for each resource, summary kind, skip reason and notice, one row for the streams, and one row for the date order. */
export function reportView(report: ImportReport): View<Line> {
  const lines: Line[] = [
    ...Object.entries(report.stored).map(([name, { samples, replaced, unchanged }]) => {
      const created = samples - replaced - unchanged
      return { what: 'samples', name, records: samples, created, replaced, unchanged, ...report.days?.[name] }
    }),
    ...Object.entries(report.summaries).map(([name, counts]) => ({
      ...summaryLine('summaries', name, counts),
      ...report.days?.[name],
    })),
    summaryLine('streams', 'workouts', report.streams),
    ...report.skipped.map(({ reason, count, places }) => ({
      what: 'skipped',
      name: reason,
      records: count,
      places: places.join(', '),
    })),
    ...Object.entries(report.implausible ?? {}).map(([name, records]) => ({ what: 'implausible', name, records })),
    ...(report.notices ?? []).map(({ text, count }) => ({ what: 'notice', name: text, records: count })),
    ...(report.date_order ? [dateOrderLine(report.date_order)] : []),
  ]
  return {
    ...view(
      lines.filter(line => line.records !== 0),
      {
        ...fields<Line>('what', 'name', 'records'),
        new: line => line.created,
        ...fields<Line>('replaced', 'unchanged', 'first', 'last', 'places'),
      },
      'Nothing in the file could be stored.',
    ),
    isOneDocument: true,
  }
}

interface PersonLine {
  readonly user: string
  readonly import_id?: string | null
  readonly records: number
  readonly samples?: number
  readonly replaced?: number
  readonly unchanged?: number
  readonly skipped: number
}

type DateOrder = NonNullable<ImportReport['date_order']>

function dateOrderLine({ order, basis, place: position }: DateOrder): Line {
  const why = { file: 'decided by the file', given: 'as given' }[basis]
  return { what: 'dates', name: `${orderName(order)} (${order}), ${why}`, records: undefined, places: position ?? '' }
}

function orderName(order: DateOrder['order']): string {
  return order === 'dmy' ? 'day first' : 'month first'
}

interface Counts {
  readonly created: number
  readonly updated: number
  readonly unchanged: number
}

function summaryLine(what: string, name: string, { created, updated, unchanged }: Counts): Line {
  return { what, name, records: created + updated + unchanged, created, replaced: updated, unchanged }
}

/** Returns one row for each user, and one row for each reason why file rows could not be assigned to a user. */
export function peopleView({ imports, skipped }: PeopleReport): View<PersonLine> {
  const lines = [
    ...imports.map(
      (each): PersonLine => ({
        user: each.user_id,
        import_id: each.import_id,
        records: each.records,
        samples: sum(Object.values(each.stored).map(({ samples }) => samples)),
        replaced: sum(Object.values(each.stored).map(({ replaced }) => replaced)),
        unchanged: sum(Object.values(each.stored).map(({ unchanged }) => unchanged)),
        skipped: sum(each.skipped.map(({ count }) => count)),
      }),
    ),
    ...skipped.map(({ reason, count }): PersonLine => ({ user: `nobody: ${reason}`, records: count, skipped: count })),
  ]
  const columns = fields<PersonLine>('user', 'records', 'samples', 'replaced', 'unchanged', 'skipped', 'import_id')
  return { ...view(lines, columns, 'The table contains no rows.'), isOneDocument: true }
}

/** Returns a line for each resource with values outside its limits. */
export function implausibleLines({ implausible = {}, dry_run }: ImportReport): readonly string[] {
  return Object.entries(implausible).map(([resource, count]) => {
    const [known, limits] = [resourceNamed(resource), limitsOf(resource)]
    const range = known && limits ? allLimitsText(limits, known.unit) : 'its limits'
    const [samples, are, them] = count === 1 ? ['sample', 'is', 'it'] : ['samples', 'are', 'them']
    const stored = dry_run ? `would be stored` : count === 1 ? 'was stored' : 'were stored'
    const they = count === 1 ? 'It' : 'They'
    return `${formatCount(count)} ${samples} of ${resource} ${are} outside ${range}. ${they} ${stored}, and merged queries leave ${them} out.`
  })
}

/** Returns whether the file contained data that was stored, or would be in a real run. */
export function hasData(report: ImportReport): boolean {
  const { created, updated, unchanged } = report.streams
  return (
    Object.values(report.stored).some(({ samples }) => samples > 0) ||
    Object.keys(report.summaries).length > 0 ||
    created + updated + unchanged > 0
  )
}

/** Returns one row for each import. */
export function importsView(imports: readonly ListedImport[]): View<ListedImport> {
  return ranked(
    ['format', 'client_user_id', 'at', 'import_id', 'samples', 'summaries', 'skipped', 'undone_at', 'user_id'],
    view(
      imports,
      {
        ...fields<ListedImport>('import_id', 'user_id', 'client_user_id', 'at', 'format', 'records'),
        samples: each => sum(Object.values(each.stored).map(({ samples }) => samples)),
        summaries: each => sum(Object.values(each.summaries).map(each => sum(Object.values(each)))),
        unchanged: each =>
          sum([...Object.values(each.stored), ...Object.values(each.summaries)].map(({ unchanged }) => unchanged)),
        skipped: each => sum(each.skipped.map(({ count }) => count)),
        undone_at: each => each.undone_at,
      },
      'No imports. Import a file with `svc import FILE --user USER`.',
    ),
  )
}

interface Undone {
  readonly name: string
  readonly removed: number | undefined
  readonly restored: number | undefined
  readonly kept: number | undefined
}

/** Returns one row for each resource or summary kind. */
export function undoView({ removed, restored, kept }: UndoReport): View<Undone> {
  const names = [...new Set([removed, restored, kept].flatMap(counts => Object.keys(counts)))]
  const lines = names.map(
    (name): Undone => ({
      name,
      removed: removed[name],
      restored: restored[name],
      kept: kept[name],
    }),
  )
  return {
    ...view(lines, fields<Undone>('name', 'removed', 'restored', 'kept'), 'The import had not changed any data.'),
    isOneDocument: true,
  }
}

/** Returns one row for each import. */
export function undoneView(imports: readonly UndoReport[]): View<UndoReport> {
  return view(
    imports,
    {
      import_id: each => each.import_id,
      removed: each => sum(Object.values(each.removed)),
      restored: each => sum(Object.values(each.restored)),
      kept: each => sum(Object.values(each.kept)),
    },
    'No import was undone.',
  )
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
