/** `svc labs list`. */
import { examplesOf, SvcCommand } from '../../cli/runtime/base-command.ts'
import { fields, view } from '../../output/view.ts'

export default class LabsList extends SvcCommand {
  static override summary = 'List laboratories'
  static override examples = examplesOf('')

  async run(): Promise<void> {
    await this.parse(LabsList)
    await this.show('labs.list', {}, labs =>
      view(labs, {
        ...fields<(typeof labs)[number]>('id', 'slug', 'name', 'city', 'zipcode'),
        collection: lab => lab.collection_methods.join(' '),
        samples: lab => lab.sample_types.join(' '),
      }),
    )
  }
}
