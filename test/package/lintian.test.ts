/** The Debian package follows Debian's policy. A file of its own, because lintian reads the whole executable several times. */
import { expect, test } from 'vitest'
import { withoutPrograms } from './machine-copy.ts'
import { packageFile, shell } from './packages.ts'

const noLintian = withoutPrograms('lintian')
test.skipIf(noLintian !== '')(`lintian finds nothing${noLintian}`, { timeout: 400_000 }, async () => {
  const variables = { PATH: process.env['PATH'] ?? '', TMPDIR: '/tmp' }
  expect(await shell(`lintian --allow-root --fail-on none '${packageFile('.deb')}'`, variables)).toBe('')
})
