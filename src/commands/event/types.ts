/** `svc event types`. */
import { string as stringArg } from '@oclif/core/args'
import { SvcCommand } from '../../cli/runtime/base-command.ts'
import { eventFieldsView } from '../../cli/views/event-fields.ts'
import { fields, view } from '../../output/view.ts'

export default class EventTypes extends SvcCommand {
  static override summary = 'List the types of events, or show what one of them holds'
  static override description =
    'With a TYPE: the fields of its webhook body with an example of each; json holds the JSON Schema and the whole example.'
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    "<%= config.bin %> <%= command.id %> 'daily.data.*.created'",
    '<%= config.bin %> <%= command.id %> daily.data.glucose.created --json',
  ]
  static override args = {
    type: stringArg({ description: 'an event type, or a part of some with * for any characters' }),
  }

  async run(): Promise<void> {
    const { args } = await this.parse(EventTypes)
    if (args.type === undefined || args.type.includes('*')) {
      const list = await this.ask('event.types', { query: { type: args.type } })
      const columns = fields<(typeof list.data)[number]>('type', 'description')
      await this.print(list, view(list.data, columns, 'No such types.'))
      return
    }
    const type = await this.ask('event.type', { params: { type: args.type } })
    this.hint(`${type.description}.`)
    await this.print(type, eventFieldsView(type.schema, type.example))
  }
}
