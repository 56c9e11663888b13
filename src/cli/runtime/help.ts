/** Shows help, and renders help pages at build time, which bin/help-page.js prints without loading the bundle. */
import type { Config } from '@oclif/core/config'
import { Help } from '@oclif/core/help'
import { loadConfig } from './commands.ts'
import { shortenUsage } from './usage-line.ts'

/** Prints the help of the command or topic that the arguments name, or of the program if they do not name one. */
export async function showHelp(config: Config, argv: string[]): Promise<void> {
  shortenUsage(config)
  await new Help(config).showHelp(argv)
}

/** Help pages by the words of a command or topic, joined with `-`; the program's own page is named `svc`. */
export interface HelpPages {
  readonly commands: ReadonlyMap<string, string>
  /** Topics that are not also commands. */
  readonly topics: ReadonlyMap<string, string>
}

/** Renders every help page with the width from OCLIF_COLUMNS. */
export async function helpPages(root: string): Promise<HelpPages> {
  const { commandIDs: ids, topics } = await loadConfig(root)
  const names = topics.map(topic => topic.name).filter(name => !ids.includes(name))
  const topicPages = await rendered(root, ['', ...names])
  return { commands: await rendered(root, ids), topics: topicPages }
}

async function rendered(root: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const pages = new Map<string, string>()
  for (const id of ids) {
    const words = id.split(':').filter(word => word !== '')
    const help = new CollectedHelp(await loadConfig(root))
    shortenUsage(help.config)
    await help.showHelp(words.length === 0 ? ['--help'] : words)
    pages.set(words.join('-') || 'svc', help.text)
  }
  return pages
}

/** Collects the output instead of printing it. */
class CollectedHelp extends Help {
  text = ''
  declare config: Config

  protected override log(...lines: string[]): void {
    this.text += `${lines.join(' ')}\n`
  }
}
