/** Shows the documentation in a browser: its pages as HTML files that link to each other. */
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { listPages, readDocsPage } from './pages.ts'

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
pre,code{font:14px/1.4 ui-monospace,monospace}pre{overflow-x:auto;padding:.75rem;background:#8882;border-radius:6px}
table{border-collapse:collapse;display:block;overflow-x:auto}th,td{border:1px solid #8886;padding:.25rem .6rem;text-align:left;vertical-align:top}`

/** Writes every page to a new temporary folder, and returns the path of one of them. */
export async function writeWebPages(root: string, wanted: string): Promise<string> {
  const { marked } = await import('marked')
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-docs-'))
  for (const { page, title } of await listPages(root)) {
    const file = fileIn(folder, page)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, htmlPage(title, await marked.parse(await readDocsPage(root, page))))
  }
  return fileIn(folder, wanted)
}

function fileIn(folder: string, page: string): string {
  return path.join(folder, ...page.replace(/\.md$/, '.html').split('/'))
}

function htmlPage(title: string, body: string): string {
  const linked = body
    // the package does not contain the pictures
    .replaceAll(/<picture>[\s\S]*?<\/picture>\n?/g, '')
    .replaceAll(/(<a href="(?![a-z]+:)[^"#]*)\.md(?=[#"])/g, '$1.html')
    .replaceAll(
      /<h([1-6])>([\s\S]*?)<\/h\1>/g,
      (_, level, text) => `<h${level} id="${anchor(text)}">${text}</h${level}>`,
    )
  const name = title.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>${name}</title><style>${STYLE}</style>\n${linked}</html>\n`
}

/** Returns the URL fragment of a heading. */
function anchor(html: string): string {
  const text = html.replaceAll(/<[^>]*>|&[a-z#0-9]+;/g, '').toLowerCase()
  return text.replaceAll(/[^\p{L}\p{N}_\s-]/gu, '').replaceAll(' ', '-')
}
