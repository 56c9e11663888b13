/** `svc engine seed`. */
import { integer, string } from '@oclif/core/flags'
import { dateReader } from '../../cli/arguments/dates.ts'
import { WHEN_HELP } from '../../cli/arguments/when.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { interruptSignal } from '../../cli/runtime/interrupt.ts'
import { seedView } from '../../cli/users/seed-view.ts'
import { progressBar } from '../../output/progress.ts'

export default class EngineSeed extends SvcCommand {
  static override summary = 'Add synthetic people with devices, habits, illness and travel'
  static override description =
    'The same seed creates the same people on every machine: user IDs, names (person-001 …), connections, samples ' +
    "and summaries. Their data ends at the engine's clock. Some travel across time zones, some forget their device " +
    'for days, and one in ten has a connection in the error state. As with any link, historical events announce the ' +
    'data. Run the command again later to add newer data. The command is refused if another seed created people with ' +
    'the same names.'
  static override examples = toExamples('', '--people 3 --days 30 --seed 7', '--until 2026-11-20T12:00:00Z --json')
  static override flags = {
    people: integer({ description: 'Number of people, 1 to 1000', default: 10, helpValue: 'N' }),
    days: integer({
      description: 'Number of whole days of data before the last day, 1 to 180',
      default: 90,
      helpValue: 'N',
    }),
    seed: integer({ description: 'Seed, 0 to 4294967295', default: 42, helpValue: 'N' }),
    until: string({
      description: `End of the data: ${WHEN_HELP}; defaults to the time on the engine's clock`,
      helpValue: 'WHEN',
    }),
  }

  protected override readonly isPaged = false

  async run(): Promise<void> {
    const { flags } = await this.parse(EngineSeed)
    const { people, days, seed } = flags
    const until = await dateReader(await this.client())('end', '--until', flags.until)
    const bar = progressBar('Seeding', { quiet: this.isQuiet })
    bar.phase('Seeding', `${people} ${people === 1 ? 'person' : 'people'}`)
    try {
      // Each call creates a few people; all calls share the same end time.
      const ask = (first: number, end: string | undefined) =>
        this.ask(
          'engine.seed',
          { body: { people, days, seed, first, ...(end === undefined ? {} : { until: end }) } },
          { signal: interruptSignal() },
        )
      let report = await ask(1, until)
      while (report.next !== null) {
        bar.update(report.people.length, people, `${report.people.length} of ${people} people`)
        const more = await ask(report.next, report.until)
        report = { ...more, people: [...report.people, ...more.people] }
      }
      bar.end()
      await this.print(report, seedView(report.people))
      const count = (state: string): number => report.people.filter(each => each.state === state).length
      this.hint(`${count('created')} created, ${count('updated')} updated, ${count('unchanged')} unchanged`)
    } finally {
      bar.end()
    }
  }
}
