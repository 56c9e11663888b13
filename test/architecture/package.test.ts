/** The content of the tarball that `npm pack` creates, and of its installation. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../kit/folder.ts'
import { root } from '../kit/sandbox.ts'

const MB = 1e6
/** Maximum size of the unpacked tarball and its installed packages. */
const MOST_INSTALLED_MB = 45

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
}
interface Packed {
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}

const readManifest = (folder: string): Partial<Manifest> =>
  JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))

/** The packages that contain a package's native code for the platforms installed here. */
function listPlatforms(name: string): Readonly<Record<string, string>> {
  const all = Object.entries(readManifest(path.join(root, 'node_modules', name)).optionalDependencies ?? {})
  return Object.fromEntries(all.filter(([each]) => existsSync(path.join(root, 'node_modules', each))))
}

/** Returns the bytes of a package and of all its dependencies. */
function installedBytes(name: string, seen = new Set<string>()): number {
  if (seen.has(name)) return 0
  seen.add(name)
  const folder = path.join(root, 'node_modules', name)
  const own = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(each => statSync(path.join(folder, each)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0)
  const others = Object.keys(readManifest(folder).dependencies ?? {})
  return others.reduce((sum, other) => sum + installedBytes(other, seen), own)
}

describe('the npm package', () => {
  let packed: Packed
  beforeAll(async () => {
    const json = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: root,
      encoding: 'utf8',
    })
    packed = JSON.parse(json)[0]
  })

  it('contains the program, its documentation and its licenses, and no sources or tests', () => {
    const files = packed.files.map(file => file.path)
    expect(files).toEqual(
      expect.arrayContaining([
        'bin/run.js',
        'dist/svc.cjs',
        'dist/console/manifest.json',
        'dist/jq/index.cjs',
        'dist/jq/build/jq.wasm',
        'oclif.manifest.json',
        'LICENSE',
      ]),
    )
    expect(files.filter(file => file.startsWith('test/') || file.endsWith('.ts'))).toEqual([])
    expect(files).toContain('docs/console.md')
    expect(files.filter(file => file.startsWith('docs/pictures/'))).toEqual([])
  })

  it('runs jq from the tarball alone, without the packages it was built from', () => {
    const folder = temporaryFolder()
    const run = (command: string, args: readonly string[], cwd: string): string =>
      execFileSync(command, args, {
        cwd,
        encoding: 'utf8',
        env: { ...process.env, SVC_DATA_DIR: path.join(folder, 'data') },
      })
    const [{ filename }] = JSON.parse(
      run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root),
    )
    run('tar', ['xzf', filename], folder)
    const installed = path.join(folder, 'package')
    for (const name of Object.keys((readManifest(root) as Manifest).dependencies)) {
      const link = path.join(installed, 'node_modules', name)
      mkdirSync(path.dirname(link), { recursive: true })
      symlinkSync(path.join(root, 'node_modules', name), link)
    }
    const args = ['bin/run.js', 'user', 'list', '--jq', '.total, (.users | type)']
    expect(run(process.execPath, args, installed)).toBe('0\narray\n')
  })

  it('runs no script of ours when it is installed', () => {
    const { scripts } = readManifest(root) as Manifest
    const atInstall = ['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare', 'prepublish']
    expect(Object.keys(scripts).filter(name => atInstall.includes(name))).toEqual([])
  })

  it('installs only packages that are not in the bundle, within 60 MB', () => {
    const { dependencies: required, optionalDependencies: optional } = readManifest(root) as Manifest
    expect(Object.keys(required)).toEqual(['@photostructure/sqlite'])
    expect(Object.keys(optional)).toEqual(['@napi-rs/keyring'])
    const dependencies = { ...required, ...optional, ...listPlatforms('@napi-rs/keyring') }
    const seen = new Set<string>()
    const bytes = Object.keys(dependencies).reduce((sum, name) => sum + installedBytes(name, seen), packed.unpackedSize)
    expect(bytes / MB).toBeLessThan(MOST_INSTALLED_MB)
  })
})
