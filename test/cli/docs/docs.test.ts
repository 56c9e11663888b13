/** `svc docs`: pages for a terminal, for a pipe and for a browser. */
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { listPages, readDocsPage } from '../../../src/cli/docs/pages.ts'
import { renderPage } from '../../../src/cli/docs/terminal.ts'
import { InProcessSandbox } from '../../kit/in-process.ts'
import { root, Sandbox } from '../../kit/sandbox.ts'
import { Terminal } from '../../kit/terminal.ts'

const plain = { width: 40, hasColor: false, page: 'webhooks.md' }

describe('a page on a terminal', () => {
  it('wraps text, and leaves code unchanged', async () => {
    const code = 'svc aggregate query ada --select "sum(steps)" --past 1w'
    const text = await renderPage(`# A title\n\n${'some words '.repeat(8)}\n\n\`\`\`sh\n${code}\n\`\`\`\n`, plain)
    const lines = text.split('\n')
    expect(lines.slice(0, 2)).toEqual(['A title', '═══════'])
    expect(lines.filter(line => line.includes('words')).length).toBe(3)
    expect(lines).toContain(`    ${code}`)
  })

  it('aligns a table, and wraps its cells instead of shortening them', async () => {
    const long = 'one two three four five six seven eight nine ten'
    const text = await renderPage(`| a | b |\n|---|---|\n| x | ${long} |\n| yy | 1 |\n`, plain)
    expect(Math.max(...text.split('\n').map(line => line.length))).toBeLessThanOrEqual(40)
    expect(text.replaceAll(/\s+/g, ' ')).toContain(long)
    expect(text).toMatch(/^x {3}one.*\n {4}\S/m)
    expect(text).toMatch(/^yy {2}1$/m)
  })

  it('shows the command that opens a linked page', async () => {
    const text = await renderPage('[Events](events.md#order), [rule](interface/events.md), [web](https://a.test/)', {
      ...plain,
      width: 200,
    })
    expect(text).toBe('Events (svc docs events), rule (svc docs interface/events), web (https://a.test/)\n')
  })

  it('loses no word of any page', async () => {
    const wordsOf = (text: string) => new Set(text.match(/[A-Za-z]{4,}/g))
    for (const { page } of await listPages(root)) {
      // a terminal shows no pictures
      const unseen = /<!--[\s\S]*?-->|<picture>[\s\S]*?<\/picture>|\]\([^)]*\)|```\w*/g
      const markdown = (await readDocsPage(root, page)).replaceAll(unseen, ' ')
      const shown = wordsOf(await renderPage(await readDocsPage(root, page), { ...plain, width: 10_000, page }))
      expect([page, [...wordsOf(markdown)].filter(word => !shown.has(word))]).toEqual([page, []])
    }
  })

  it('is shown in the pager with colors, and has no colors in a pipe', async () => {
    const sandbox = new Sandbox()
    const env = { SVC_PAGER: "sed 's/^/| /'" }
    const paged = new Terminal(sandbox, ['docs', 'webhooks', '--no-color'], ':', { env })
    await paged.sees(/\| Webhooks/)
    expect(await paged.ended()).toBe(0)
    const terminal = new Terminal(sandbox, ['docs', 'webhooks', '--no-pager'])
    expect(await terminal.ended()).toBe(0)
    expect(terminal.raw).toContain('\u001b[1mWebhooks\u001b[22m')
    const { stdout } = await sandbox.run(['docs', 'webhooks'])
    expect(stdout).toMatch(/^Webhooks\n═+\n/)
    expect(stdout).not.toContain('\u001b')
  })
})

describe('svc docs --web', () => {
  const sandbox = new InProcessSandbox()

  it('opens pages that link to each other', async () => {
    const browser = path.join(sandbox.folder, 'browser.sh')
    writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > '${sandbox.folder}/opened'\n`)
    chmodSync(browser, 0o700)
    const { stdout } = await sandbox.run(['docs', 'mcp', '--web', '--json'], { env: { BROWSER: browser } })
    const { file, is_open } = JSON.parse(stdout)
    expect(is_open).toBe(true)
    expect(readFileSync(path.join(sandbox.folder, 'opened'), 'utf8')).toBe(file)
    const targets = [...readFileSync(file, 'utf8').matchAll(/<a href="([^":]+)"/g)].map(match => match[1] ?? '')
    const files = targets
      .map(target => new URL(target, pathToFileURL(file)))
      .filter(({ pathname }) => pathname.endsWith('.html'))
    expect(files.length).toBeGreaterThan(0)
    expect(files.filter(each => !existsSync(each))).toEqual([])
    rmSync(path.dirname(file), { recursive: true })
  })

  it('prints the path if there is no browser', async () => {
    const env = { BROWSER: path.join(sandbox.folder, 'none') }
    const { stdout, stderr, status } = await sandbox.run(['docs', 'events', '--web', '--json'], { env })
    const { file, is_open } = JSON.parse(stdout)
    expect([status, is_open, existsSync(file)]).toEqual([0, false, true])
    expect(stderr).toContain('No browser could be opened')
    rmSync(path.dirname(file), { recursive: true })
  })
})
