/** `svc init`. */
import { boolean, option, string } from '@oclif/core/flags'
import { isAbsent } from '../cli/arguments/user-argument.ts'
import { recordStep, stepsDone } from '../cli/init/progress.ts'
import { runCommand } from '../cli/init/run-command.ts'
import { type InitStep, stepsFor } from '../cli/init/steps.ts'
import { SvcCommand, toExamples } from '../cli/runtime/base-command.ts'
import { interruptSignal } from '../cli/runtime/interrupt.ts'
import { ServiceError } from '../core/errors.ts'
import { quotedPath } from '../core/private-file.ts'
import { fields, view } from '../output/view.ts'
import { dataLocation } from '../profile/settings.ts'

interface StepOutcome {
  readonly step: InitStep['name']
  readonly status: 'done' | 'done before' | 'skipped'
  readonly command: string
}

/** Options for running a step. */
interface Way {
  readonly isAsking: boolean
  /** Whether an earlier step of this run created something. */
  readonly isFresh: boolean
}

export default class Init extends SvcCommand {
  static override summary = 'Take the first steps: a user, a provider, data, a query'
  static override description =
    'Runs four commands and shows each of them. On a terminal, asks before each step. Run it again to continue; finished ' +
    'steps are not repeated.'
  static override examples = toExamples('', '--user ada --yes')
  static override flags = {
    user: string({ description: 'User to create', default: 'demo', helpValue: 'USER' }),
    provider: option({
      description: 'Provider of the demo connection',
      options: ['apple_health_kit', 'fitbit', 'freestyle_libre', 'oura'] as const,
      default: 'oura',
    })(),
    yes: boolean({ char: 'y', description: 'Run every step without asking' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Init)
    const signal = interruptSignal()
    const clock = await this.ask('clock.get', {}).catch(() => ({ now: new Date().toISOString() }))
    const steps = stepsFor(flags, Date.parse(clock.now))
    const isAsking = this.canAsk && !flags.yes
    const outcomes: StepOutcome[] = []
    for (const [i, step] of steps.entries()) {
      if (signal.aborted) throw new ServiceError('cancelled', 'Cancelled. Run `svc init` again to continue.')
      const command = ['svc', ...step.command].map(quotedPath).join(' ')
      this.hint(`\n${i + 1} of ${steps.length}: ${step.title}\n  ${step.about}\n  $ ${command}`)
      // records about an earlier user or connection with this name do not apply to a new one
      const isFresh = outcomes.some(outcome => outcome.status === 'done')
      const status = await this.take(step, flags.user, { isAsking, isFresh })
      if (status !== 'done') this.hint(`  ${status === 'skipped' ? 'Skipped.' : 'Done before.'}`)
      outcomes.push({ step: step.name, status, command })
    }
    const isShown = this.format === 'table'
    if (!isShown)
      await this.print(
        { steps: outcomes },
        { ...view(outcomes, fields<StepOutcome>('step', 'status', 'command')), isOneDocument: true },
      )
    this.hint('\nNext: svc --help, svc serve, or link a provider to another user with `svc link`. See `svc docs init`.')
  }

  private async take(step: InitStep, user: string, { isAsking, isFresh }: Way): Promise<StepOutcome['status']> {
    const location = dataLocation(this.settings)
    if (!(isFresh && isRead(step)) && (await this.isDone(step, user, location))) return 'done before'
    if (isAsking) {
      const { askToContinue } = await import('../cli/runtime/prompt.ts')
      if (!(await askToContinue('Run it?'))) return 'skipped'
    }
    const isShown = this.format === 'table'
    const status = await runCommand(this.config.root, [...step.command, ...this.locationFlags()], isShown)
    if (status !== 0) {
      if (status === 130) throw new ServiceError('cancelled', 'Cancelled. Run `svc init` again to continue.')
      throw new ServiceError('bad_request', `The step "${step.title}" failed.`, {
        suggestions: [
          'The message above says why. Run `svc init` again to continue, or `svc doctor` to check the installation.',
        ],
      })
    }
    if (isRead(step)) recordStep(location, user, step.name)
    return 'done'
  }

  private async isDone(step: InitStep, user: string, location: string): Promise<boolean> {
    if (isRead(step)) return stepsDone(location, user).includes(step.name)
    try {
      const { providers } = await this.withUser(user, user_id => this.ask('user.providers', { params: { user_id } }))
      return step.name === 'user' || providers.length > 0
    } catch (error) {
      if (isAbsent(error)) return false
      throw error
    }
  }

  /** Returns the flags that select the service, for the commands that the steps run. */
  private locationFlags(): readonly string[] {
    const { profile, baseUrl, dataDir, store } = this.givenFlags
    const given = { profile, 'base-url': baseUrl, 'data-dir': dataDir, store }
    return Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]))
  }
}

/** Returns whether a step only reads, so that only a record can show that it was done. */
function isRead({ name }: InitStep): boolean {
  return name === 'data' || name === 'query'
}
