/** `svc event types`. */
import { string as stringArg } from '@oclif/core/args'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { eventFieldsView } from '../../cli/views/event-fields.ts'
import { fields, view } from '../../output/view.ts'

export default class EventTypes extends SvcCommand {
  static override summary = 'List event types, or show the fields of one'
  static override description =
    'With TYPE, shows the fields of the webhook body with example values. With --json, prints its JSON Schema ' +
    'and a full example.'
  static override examples = toExamples('', "'daily.data.*.created'", 'daily.data.glucose.created --json')
  static override args = {
    type: stringArg({ description: 'Event type, or a pattern with * for any characters' }),
  }

  async run(): Promise<void> {
    const { args } = await this.parse(EventTypes)
    if (args.type === undefined || args.type.includes('*')) {
      const list = await this.ask('event.types', { query: { type: args.type } })
      const columns = fields<(typeof list.data)[number]>('type', 'description')
      await this.print(list, view(list.data, columns, 'No event types match.'))
      return
    }
    const type = await this.ask('event.type', { params: { type: args.type } })
    this.hint(`${type.description}.`)
    await this.print(type, eventFieldsView(type.schema, type.example))
  }
}
