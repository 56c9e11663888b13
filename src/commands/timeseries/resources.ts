/** `svc timeseries resources`. */
import { allKinds, type Kind, kindsOf } from '../../catalogue/kinds.ts'
import { RESOURCES, type TimeseriesResource } from '../../catalogue/resources.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { sampleFields } from '../../engine/readings/sample-rows.ts'
import { fields, view } from '../../output/view.ts'

export default class TimeseriesResources extends SvcCommand {
  static override summary = 'List timeseries resources with their kinds, units and fields'
  static override description =
    'An interval has a start and an end; a sample has one time. Fields are the values of a sample besides its ' +
    'times, unit and type. Types distinguish samples at the same time. Values of different kinds must not be mixed: ' +
    'aggregate queries read the kind as a field, and warn about mixtures.'
  static override examples = toExamples('', '--output csv')

  async run(): Promise<void> {
    await this.parse(TimeseriesResources)
    const documents = RESOURCES.map(document)
    await this.print(
      documents,
      view(documents, {
        ...fields<ResourceDocument>('resource', 'kind', 'unit', 'meaning'),
        fields: each => each.fields.join(' '),
        types: each => each.types.join(' '),
        kinds: each => each.value_kinds.map(({ name }) => name).join(' '),
      }),
    )
  }
}

/** One resource as --json prints it. */
interface ResourceDocument {
  readonly resource: string
  readonly event_name: string
  readonly kind: string
  readonly unit: string
  readonly meaning: string
  /** Fields of a sample other than its times, unit and type. */
  readonly fields: readonly string[]
  /** Documented values of a type that is part of a sample's key. */
  readonly types: readonly string[]
  /** Kinds of values that must not be mixed, the usual one first; empty if all values may meet. */
  readonly value_kinds: readonly Kind[]
}

function document(resource: TimeseriesResource): ResourceDocument {
  return {
    resource: resource.name,
    event_name: resource.queryName,
    kind: resource.kind,
    unit: resource.unit,
    meaning: resource.meaning,
    fields: sampleFields(resource),
    types: resource.discriminator ?? [],
    value_kinds: valueKinds(resource),
  }
}

function valueKinds({ name }: TimeseriesResource): readonly Kind[] {
  const kinds = kindsOf(name)
  const all = kinds === undefined ? [] : allKinds(kinds)
  return all.map(({ name: kind, statistic, window, site, meaning }) => ({
    name: kind,
    statistic,
    window,
    site,
    meaning,
  }))
}
