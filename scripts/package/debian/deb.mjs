/**
 * `npm run package:deb` writes the Debian package: the executable, manual pages, completion, and a systemd unit with its settings. It needs
 * dpkg-deb and xz, which every Debian system has, and no root.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { out, root, sourceDate } from '../folders.mjs'

/** Debian's names of processors. */
const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' }
const SETTINGS = 'etc/default/svc'
/** Other modes than 0644. The settings may contain secrets. */
const MODES = { 'usr/bin/svc': 0o755, [SETTINGS]: 0o600, 'DEBIAN/postinst': 0o755 }

/** Writes the package from out/svc and out/LICENSES.txt. */
export function buildDeb() {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  // in Debian, 1.0.0~beta.1 is older than 1.0.0, and a hyphen starts the revision
  const debianVersion = version.replace('-', '~')
  const architecture = ARCHITECTURES[process.arch]
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-deb-'))
  try {
    write(folder, content(debianVersion))
    mkdirSync(path.join(folder, 'usr/bin'))
    copyFileSync(path.join(out, 'svc'), path.join(folder, 'usr/bin/svc'))
    write(folder, control(folder, { version: debianVersion, architecture }))
    setModesAndTimes(folder)
    const file = path.join(out, `svc_${debianVersion}_${architecture}.deb`)
    // with a fixed number of threads, so that the result is the same on every machine
    const settings = ['--root-owner-group', '-Zxz', '-z3', '--threads-max=2']
    execFileSync('dpkg-deb', [...settings, '--build', folder, file], {
      env: { ...process.env, SOURCE_DATE_EPOCH: `${sourceDate()}` },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    return [file]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the installed files except the executable: their content by path. */
function content(version) {
  const own = name => readFileSync(path.join(import.meta.dirname, name))
  const completion = shell => execFileSync(path.join(out, 'svc'), ['completion', shell])
  const pages = path.join(root, 'dist', 'man')
  const manual = readdirSync(pages).map(name => [
    `usr/share/man/man1/${name}.gz`,
    compressed(readFileSync(path.join(pages, name))),
  ])
  const date = new Date(sourceDate() * 1_000).toUTCString().replace('GMT', '+0000')
  const changes = `svc (${version}) stable; urgency=medium\n\n  * See CHANGELOG.md in the source.\n\n -- ${MAINTAINER}  ${date}\n`
  return {
    ...Object.fromEntries(manual),
    'lib/systemd/system/svc.service': own('svc.service'),
    [SETTINGS]: own('default'),
    'usr/share/bash-completion/completions/svc': completion('bash'),
    'usr/share/zsh/vendor-completions/_svc': completion('zsh'),
    'usr/share/fish/vendor_completions.d/svc.fish': completion('fish'),
    'usr/share/doc/svc/changelog.gz': compressed(changes),
    'usr/share/doc/svc/copyright': `${readFileSync(path.join(root, 'LICENSE'), 'utf8')}\n${INCLUDED}`,
    'usr/share/doc/svc/LICENSES.txt.gz': compressed(readFileSync(path.join(out, 'LICENSES.txt'))),
    'usr/share/lintian/overrides/svc': own('lintian-overrides'),
  }
}

const INCLUDED = 'The licenses of everything that the program includes are in /usr/share/doc/svc/LICENSES.txt.gz.\n'
const MAINTAINER = 'The svc authors <maintainers@svc.example>'

function control(folder, { version, architecture }) {
  const files = filesIn(folder)
  const kibibytes = files.reduce((sum, name) => sum + Math.ceil(statSync(path.join(folder, name)).size / 1_024), 0)
  const sums = files
    .filter(name => name !== SETTINGS)
    .map(
      name =>
        `${createHash('md5')
          .update(readFileSync(path.join(folder, name)))
          .digest('hex')}  ${name}\n`,
    )
  const fields = {
    Package: 'svc',
    Version: version,
    Architecture: architecture,
    Maintainer: MAINTAINER,
    'Installed-Size': kibibytes,
    // the versions of the symbols that the executable and its native parts use
    Depends: 'adduser, libc6 (>= 2.29), libgcc-s1, libstdc++6 (>= 5)',
    Section: 'net',
    Priority: 'optional',
    Description: 'health-data aggregation service and its command line',
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`)
  return {
    'DEBIAN/control': `${lines.join('')}${LONG_DESCRIPTION}`,
    'DEBIAN/conffiles': `/${SETTINGS}\n`,
    'DEBIAN/md5sums': sums.join(''),
    'DEBIAN/postinst': readFileSync(path.join(import.meta.dirname, 'postinst')),
  }
}

const LONG_DESCRIPTION = ` svc collects data from wearables and laboratories, stores and aggregates it,
 and sends webhooks. The package contains the program with everything that it
 needs, and a systemd service that is not started by the installation.
`

function write(folder, files) {
  for (const [name, data] of Object.entries(files)) {
    const file = path.join(folder, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, data)
  }
}

/** Sets what would otherwise depend on the user who builds. */
function setModesAndTimes(folder) {
  for (const entry of ['', ...readdirSync(folder, { recursive: true })]) {
    const file = path.join(folder, entry)
    chmodSync(file, statSync(file).isDirectory() ? 0o755 : (MODES[entry] ?? 0o644))
  }
  for (const entry of ['', ...readdirSync(folder, { recursive: true })])
    utimesSync(path.join(folder, entry), sourceDate(), sourceDate())
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter(name => statSync(path.join(folder, name)).isFile())
    .sort()
}

/** Compresses without a time and a name. */
function compressed(data) {
  return gzipSync(data, { level: 9 })
}
