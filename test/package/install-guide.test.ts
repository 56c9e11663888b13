/** The commands in docs/install.md for npm and the single file, run in a folder with the files of a release. */
import { readdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../kit/folder.ts'
import { guideCommands, INSTALL_TIMEOUT_MS, npmVariables, out, shell } from './packages.ts'

test('the commands in the installation guide work in the folder of a download', {
  timeout: INSTALL_TIMEOUT_MS,
}, async () => {
  const folder = temporaryFolder()
  for (const name of readdirSync(out)) if (name !== 'svc') symlinkSync(path.join(out, name), path.join(folder, name))
  const env = { ...npmVariables(folder), PATH: process.env['PATH'] ?? '' }
  const [check, npm, file, debian, image, ...others] = guideCommands()
  // debian.test.ts and image.test.ts run these
  expect([debian, image]).toEqual([expect.stringContaining('.deb'), expect.stringContaining('-image.tar')])
  expect(others).toEqual([])
  expect(await shell(check ?? '', env, folder)).toContain('.xz: OK')
  await shell(npm ?? '', env, folder)
  expect(await shell('prefix/bin/svc --version', env, folder)).toMatch(/^svc\//)
  expect(await shell(file ?? '', env, folder)).toMatch(/^svc\/.* node-v22\./)
})
