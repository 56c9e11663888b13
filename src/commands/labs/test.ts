/** `svc labs test`. */
import { string as stringArg } from '@oclif/core/args'
import { labTestIds } from '../../cli/arguments/lab-test-argument.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { labTestFacts } from '../../cli/views/lab-view.ts'
import { factSheet } from '../../output/view.ts'

export default class LabsTest extends SvcCommand {
  static override summary = 'Show a lab test'
  static override examples = toExamples('essential-health')
  static override args = { test: stringArg({ required: true, description: 'Lab test, as ID or slug' }) }

  async run(): Promise<void> {
    const { args } = await this.parse(LabsTest)
    const [lab_test_id] = await labTestIds(await this.client(), [args.test])
    const test = await this.ask('labs.test', { params: { lab_test_id: lab_test_id as string } })
    await this.print(test, factSheet(labTestFacts(test)))
  }
}
