/** `svc aggregate schema`. */
import { queryFileSchema } from '../../cli/aggregate/query-schema.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { ServiceError } from '../../core/errors.ts'

export default class AggregateSchema extends SvcCommand {
  static override summary = 'Print the JSON Schema of query files, for editors'
  static override description =
    'Save the schema next to your query files, and refer to it in each of them: "$schema": ' +
    '"./aggregate-query.schema.json". Editors such as VS Code then complete names and mark errors. `aggregate ' +
    'query`, `aggregate explain` and `aggregate watch create` ignore the key.'
  static override examples = toExamples('> aggregate-query.schema.json')

  async run(): Promise<void> {
    await this.parse(AggregateSchema)
    if (this.format !== 'json') {
      throw new ServiceError('usage', `A JSON Schema cannot be printed as ${this.format}. Use --output json.`)
    }
    process.stdout.write(`${JSON.stringify(queryFileSchema(), null, 2)}\n`)
  }

  /** Defaults to json, because a schema cannot be shown as a table. */
  protected override get defaultFormat(): 'json' {
    return 'json'
  }
}
