/** `svc doctor`. */
import { runChecks } from '../cli/doctor/doctor.ts'
import type { Finding } from '../cli/doctor/finding.ts'
import { SvcCommand, toExamples } from '../cli/runtime/base-command.ts'
import { ServiceError } from '../core/errors.ts'
import { fields, type Sheet, view } from '../output/view.ts'

export default class Doctor extends SvcCommand {
  static override summary = 'Check the installation, the settings and the service, and suggest fixes'
  static override description =
    'Checks Node, the profile, the clocks, the data folder, its permissions, its disk, the store, the server and the ' +
    'versions. Changes nothing. The report is always printed; if it has a warning or a problem, the command exits ' +
    'with code 5. To check every row, use `engine check`.'
  static override examples = toExamples('', '--profile staging --json')

  async run(): Promise<void> {
    await this.parse(Doctor)
    const findings = await runChecks(this.givenFlags)
    const bad = findings.filter(({ status }) => status !== 'ok')
    const shown = fields<Finding>('check', 'status', 'message', 'remedy')
    const isTable = this.format === 'table'
    await this.print(
      { ok: bad.length === 0, checks: findings },
      isTable
        ? { ...view(findings, shown), sheet: findingSheet(findings) }
        : { ...view(findings, shown), isOneDocument: true },
    )
    if (bad.length === 0) return
    throw new ServiceError('doctor_failed', countText(bad))
  }
}

/** Returns the findings without cutting messages, because they describe the problems. The advice is shown below the table. */
function findingSheet(findings: readonly Finding[]): Sheet {
  const rows = findings.flatMap(({ check, status, message, remedy }) => [
    [check, status, message],
    ...(remedy === null ? [] : [['', '', remedy]]),
  ])
  return { head: ['check', 'status', 'message'], rows }
}

function countText(bad: readonly Finding[]): string {
  const problems = bad.filter(({ status }) => status === 'problem').length
  const warnings = bad.length - problems
  const parts = [
    ...(problems > 0 ? [`${problems} problem${problems === 1 ? '' : 's'}`] : []),
    ...(warnings > 0 ? [`${warnings} warning${warnings === 1 ? '' : 's'}`] : []),
  ]
  return `The doctor found ${parts.join(' and ')}.`
}
