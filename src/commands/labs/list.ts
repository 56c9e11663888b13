/** `svc labs list`. */
import { toExamples } from '../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import { fields, view } from '../../output/view.ts'

export default class LabsList extends WatchedCommand {
  static override summary = 'List laboratories'
  static override examples = toExamples('')

  protected override async look(): Promise<void> {
    await this.show('labs.list', {}, labs =>
      view(labs, {
        ...fields<(typeof labs)[number]>('id', 'slug', 'name', 'city', 'zipcode'),
        collection: lab => lab.collection_methods.join(' '),
        samples: lab => lab.sample_types.join(' '),
      }),
    )
  }
}
