/** `svc docs`. */
import { string as stringArg } from '@oclif/core/args'
import { boolean } from '@oclif/core/flags'
import { type DocsPage, listPages, pageNamed, readDocsPage } from '../cli/docs/pages.ts'
import { SvcCommand, toExamples } from '../cli/runtime/base-command.ts'
import { openInBrowser } from '../cli/runtime/browser.ts'
import { ServiceError } from '../core/errors.ts'
import type { OutputFormat } from '../output/render.ts'
import { factSheet, fields, uncut, view } from '../output/view.ts'

/** Maximum line width. Longer lines are hard to read, even on a wide terminal. */
const MOST_COLUMNS = 100

export default class Docs extends SvcCommand {
  static override summary = 'Show the documentation, or list its topics'
  static override description =
    'Without TOPIC, lists the topics. With TOPIC, prints the page as readable text, even in a pipe; with --json, ' +
    'prints its Markdown. With --web, opens the page in the browser, or prints its path if there is no browser; without ' +
    'TOPIC, opens the list of commands.'
  static override examples = toExamples('', 'aggregate', 'commands/user --web')
  static override args = {
    topic: stringArg({ description: 'Topic, such as webhooks or commands/user' }),
  }
  static override flags = {
    web: boolean({ description: 'Open the page in the browser' }),
  }

  private isPage = false

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Docs)
    const { root } = this.config
    const pages = await listPages(root)
    if (pages.length === 0) {
      throw new ServiceError('not_found', 'This installation of svc has no documentation.', {
        suggestions: ['Install svc again.'],
      })
    }
    if (flags.web) return this.openPage(pageNamed(pages, args.topic ?? 'commands'))
    if (args.topic !== undefined) return this.showPage(pageNamed(pages, args.topic))
    const list = pages.map(({ topic, title }) => ({ topic, title }))
    await this.print(list, uncut(view(list, fields<(typeof list)[number]>('topic', 'title')), 'topic'))
  }

  private async showPage({ topic, title, page }: DocsPage): Promise<void> {
    this.isPage = true
    const markdown = await readDocsPage(this.config.root, page)
    if (this.format !== 'table') return this.print({ topic, title, markdown }, factSheet({ topic, title, markdown }))
    const { renderPage } = await import('../cli/docs/terminal.ts')
    const { isTTY, columns } = process.stdout
    const hasColor = isTTY && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb'
    const width = isTTY && columns > 0 ? Math.min(columns, MOST_COLUMNS) : MOST_COLUMNS
    await this.write([await renderPage(markdown, { width, hasColor, page })], 'table')
  }

  private async openPage({ topic, page }: DocsPage): Promise<void> {
    const { writeWebPages } = await import('../cli/docs/web.ts')
    const file = await writeWebPages(this.config.root, page)
    const is_open = await openInBrowser(file)
    if (!is_open) this.hint('No browser could be opened. Open the file yourself.')
    await this.print({ topic, file, is_open }, factSheet({ topic, file, is_open }))
  }

  /** Defaults to text for a page even in a pipe, because a page is for reading. */
  protected override get defaultFormat(): OutputFormat {
    return this.isPage ? 'table' : super.defaultFormat
  }
}
