/** `svc completion`. */
import { string as stringArg } from '@oclif/core/args'
import { completionScript, SHELLS } from '../cli/completion/shells.ts'
import { SvcCommand, toExamples } from '../cli/runtime/base-command.ts'
import { isGiven } from '../cli/runtime/command-line.ts'
import { factSheet } from '../output/view.ts'

export default class Completion extends SvcCommand {
  static override summary = 'Print the completion script for a shell'
  static override description =
    'The script completes commands, flags and their values, and the names of users, providers, resources, query ' +
    'columns, profiles, snapshots, event types and endpoints, from the service that the typed command would use. ' +
    "Load it in your shell's startup file."
  static override examples = toExamples(
    'source <(<%= config.bin %> <%= command.id %> bash)',
    'source <(<%= config.bin %> <%= command.id %> zsh)',
    'fish > ~/.config/fish/completions/svc.fish',
    'powershell | Out-String | Invoke-Expression',
  )
  static override args = {
    shell: stringArg({ required: true, description: 'Shell: bash, zsh, fish or powershell', options: [...SHELLS] }),
  }

  async run(): Promise<void> {
    const { args } = await this.parse(Completion)
    const shell = SHELLS.find(each => each === args.shell) ?? 'bash'
    const script = completionScript(shell)
    // A shell reads the script, so an environment variable that selects JSON for every command does not apply here.
    const isDocument = isGiven(this.argv, 'json') || isGiven(this.argv, 'output')
    if (isDocument) await this.print({ shell, script }, factSheet({ shell, script }))
    else process.stdout.write(script)
  }
}
