/** `svc labs markers`. */
import { boolean, integer, string } from '@oclif/core/flags'
import { SvcCommand } from '../../cli/base-command.ts'
import { fields, view } from '../../output/view.ts'

export default class LabsMarkers extends SvcCommand {
  static override summary = 'List what laboratories measure: biomarkers and panels with their LOINC codes'
  static override description = 'In tables and csv, code is the lab’s own test code (provider_id in json).'
  static override examples = [
    '<%= config.bin %> <%= command.id %> --name glucose',
    '<%= config.bin %> <%= command.id %> --lab-id 6 --size 100 --page 2 --output csv',
  ]
  static override flags = {
    'lab-id': integer({ description: 'only of this lab; repeat it for more', multiple: true, multipleNonGreedy: true }),
    'lab-slug': string({ description: 'only of this lab; wins over --lab-id' }),
    name: string({ description: 'part of the name or the code' }),
    'a-la-carte': boolean({
      description: 'only what can be ordered by itself; --no-a-la-carte: only the rest',
      allowNo: true,
    }),
    page: integer({ description: 'page, from 1', default: 1 }),
    size: integer({ description: 'markers on a page, 1 to 100', default: 50 }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(LabsMarkers)
    const page = await this.ask('labs.markers', {
      query: {
        lab_id: flags['lab-id'],
        lab_slug: flags['lab-slug'],
        name: flags.name,
        a_la_carte_enabled: flags['a-la-carte'],
        page: flags.page,
        size: flags.size,
      },
    })
    await this.print(
      page,
      view(
        page.markers,
        {
          ...fields<(typeof page.markers)[number]>('id', 'lab_id'),
          code: marker => marker.provider_id,
          ...fields<(typeof page.markers)[number]>('name', 'type', 'unit', 'price'),
          loinc: marker => marker.expected_results.flatMap(each => each.loinc?.code ?? []).join(' '),
        },
        'No marker is like that.',
      ),
    )
    if (page.page < page.pages) this.hint(`Page ${page.page} of ${page.pages}, ${page.total} markers; --page goes on.`)
  }
}
