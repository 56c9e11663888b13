/** `svc labs marker`. */
import { integer, string as stringArg } from '@oclif/core/args'
import { string } from '@oclif/core/flags'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { markerFacts } from '../../cli/views/lab-view.ts'
import { factSheet } from '../../output/view.ts'

export default class LabsMarker extends SvcCommand {
  static override summary = 'Show a marker by lab and code'
  static override examples = toExamples('6 676109')
  static override args = {
    lab: integer({ required: true, description: 'Lab ID from `svc labs list`' }),
    code: stringArg({ required: true, description: "Lab's code for the marker (provider_id in json)" }),
  }
  static override flags = {
    'lab-account': string({ description: 'Only if the marker is available to this lab account', helpValue: 'ID' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LabsMarker)
    const marker = await this.ask('labs.marker_by_code', {
      params: { lab_id: args.lab, provider_id: args.code },
      query: { lab_account_id: flags['lab-account'] },
    })
    await this.print(marker, factSheet(markerFacts(marker)))
  }
}
