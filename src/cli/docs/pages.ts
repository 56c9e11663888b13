/** The documentation pages that ship with svc. */
import path from 'node:path'
import { didYouMean, ServiceError } from '../../core/errors.ts'
import { installation } from '../../core/installation/current.ts'

/** A page, as a list shows it. */
export interface DocsPage {
  /** Name of the page on the command line: its path in docs/ without `.md`, or the folder name for a README. */
  readonly topic: string
  readonly title: string
  /** Path in docs/, with `/` as the separator. */
  readonly page: string
}

/** The page that lists all pages. `svc docs` omits it, because it lists the pages itself. */
const INDEX = 'README.md'

/**
 * Returns the Markdown files of the documentation, by path; an empty list if the installation does not include them. `root` is the folder
 * of package.json.
 */
export async function pageFiles(root: string): Promise<string[]> {
  return listed(path.join(root, 'docs'))
    .map(name => name.split(path.sep).join('/'))
    .filter(name => name.endsWith('.md') && name !== INDEX)
    .sort()
}

function listed(folder: string): readonly string[] {
  try {
    return installation().list(folder)
  } catch {
    return []
  }
}

/** Returns the text of a page that `pageFiles` lists. */
export async function readDocsPage(root: string, page: string): Promise<string> {
  return installation()
    .read(path.join(root, 'docs', ...page.split('/')))
    .toString()
}

/** Returns all pages, with guides before folders. */
export async function listPages(root: string): Promise<DocsPage[]> {
  const pages = await Promise.all(
    (await pageFiles(root)).map(async page => ({
      topic: pageTopic(page),
      title: pageTitle(await readDocsPage(root, page), page),
      page,
    })),
  )
  return pages.sort((a, b) => depth(a) - depth(b) || (a.topic < b.topic ? -1 : 1))
}

/** Finds a page by its topic or file name. Throws a ServiceError `usage` that suggests the nearest topics. */
export function pageNamed(pages: readonly DocsPage[], given: string): DocsPage {
  const wanted = pageTopic(
    given
      .replaceAll('\\', '/')
      .replace(/^(?:\.\/)?docs\//, '')
      .replace(/\/$/, ''),
  ).toLowerCase()
  const found = pages.find(each => each.topic.toLowerCase() === wanted)
  if (found) return found
  const topics = pages.map(each => each.topic)
  throw new ServiceError('usage', `No documentation page has this name.${didYouMean(wanted, topics)}`, {
    suggestions: ['`svc docs` lists the topics.'],
  })
}

/** Returns the topic of a file in docs/. */
export function pageTopic(page: string): string {
  return page.replace(/\.md$/, '').replace(/\/README$/, '')
}

/** Returns the first heading of a page. */
export function pageTitle(text: string, otherwise: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? otherwise
}

function depth({ page }: DocsPage): number {
  return page.split('/').length
}
