/** `svc timeseries resources`. */
import { RESOURCES, type TimeseriesResource } from '../../catalogue/resources.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { sampleFields } from '../../engine/readings/sample-rows.ts'
import { fields, view } from '../../output/view.ts'

export default class TimeseriesResources extends SvcCommand {
  static override summary = 'List timeseries resources with their kinds, units and fields'
  static override description =
    'An interval has a start and an end; a sample has one time. Fields are the values of a sample besides its ' +
    'times, unit and type. Types distinguish samples at the same time.'
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
  }
}
