/** The manual pages that the build writes and `npm install -g` links. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../kit/sandbox.ts'

const { man, files } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
const { commands } = JSON.parse(readFileSync(path.join(root, 'oclif.manifest.json'), 'utf8'))
const folder = path.join(root, 'dist', 'man')

/** Pages as a terminal shows them, without bold and underlined letters; warnings go to stderr. */
function shown(...names: readonly string[]) {
  const args = [
    '-man',
    '-ww',
    '-Tutf8',
    '-P-c',
    '-P-b',
    '-P-u',
    '-rLL=200n',
    ...names.map(name => path.join(folder, name)),
  ]
  return spawnSync('groff', args, { encoding: 'utf8' })
}

const hasGroff = spawnSync('groff', ['--version']).status === 0

describe('the manual', () => {
  it('has a page for the program, every topic and every command, and npm links each of them', () => {
    const pages = readdirSync(folder)
    const expected = Object.keys(commands)
      .filter(id => id !== 'help')
      .map(id => `svc-${id.replaceAll(':', '-')}.1`)
    expect(pages).toEqual(expect.arrayContaining(['svc.1', 'svc-user.1', 'svc-engine-clock.1', ...expected]))
    expect(pages.filter(page => !/^svc(?:-[a-z0-9-]+)?\.1$/.test(page))).toEqual([])
    expect(man.slice().sort()).toEqual(pages.map(page => `dist/man/${page}`).sort())
    expect(files).toContain('dist')
  })

  it.skipIf(!hasGroff)('has no page that groff warns about', () => {
    const { stderr, status } = shown(...readdirSync(folder))
    expect(stderr).toBe('')
    expect(status).toBe(0)
  })

  it.skipIf(!hasGroff)('shows flags and examples that can be pasted into a shell', () => {
    const { stdout } = shown('svc-aggregate-query.1')
    expect(stdout).toContain(`svc aggregate query ada --select 'sum(steps)' --group-by 1d --past 1w`)
    expect(stdout).toContain('--group-by=1d')
    expect(stdout).toContain('SYNOPSIS')
    expect(stdout).toContain('svc-aggregate(1)')
  })

  it.skipIf(!hasGroff)('lists the commands of a topic, and the exit codes', () => {
    expect(shown('svc-engine-clock.1').stdout).toContain('svc-engine-clock-advance(1)')
    expect(shown('svc.1').stdout).toMatch(/130 +Cancelled with Ctrl-C\./)
  })
})

describe('a text in a manual page', () => {
  it('keeps every character that is special in roff', () => {
    const script = `import { roff } from './scripts/man-pages.mjs'; process.stdout.write(roff(process.argv[1]))`
    const escaped = (text: string): string =>
      spawnSync(process.execPath, ['--input-type=module', '-e', script, text], { cwd: root, encoding: 'utf8' }).stdout
    expect(escaped(".SH 'x'")).toBe('\\&.SH \\(aqx\\(aq')
    expect(escaped('a\\b --c "d" `e` ^~…\n f')).toBe('a\\eb \\-\\-c \\(dqd\\(dq \\(gae\\(ga \\(ha\\(ti\\[u2026] f')
  })
})
