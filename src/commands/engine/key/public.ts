/** `svc engine key public`. */
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'
import type { OutputFormat } from '../../../output/render.ts'
import { factSheet } from '../../../output/view.ts'

export default class EngineKeyPublic extends SvcCommand {
  static override summary = 'Print the public key that verifies signed documents'
  static override description =
    'The store signs the output of `svc why --json`. Save this key, and `svc why --verify` can check such a document ' +
    'at any time, without the store. Prints PEM, or with --json the key as JWK with its fingerprint.'
  static override examples = toExamples('> store.pem', '--json')

  // a key in a pipe is usually saved, and other tools read PEM
  protected override get defaultFormat(): OutputFormat {
    return 'table'
  }

  async run(): Promise<void> {
    await this.parse(EngineKeyPublic)
    const found = await this.ask('key.public', {})
    if (this.format === 'table') return this.write([found.pem], 'text')
    const { kid, algorithm, pem } = found
    await this.print(found, factSheet({ kid, algorithm, pem }))
  }
}
