/**
 * `npm run package:image` writes a container image in the OCI format, as the folder out/image and as a tar file. It contains the executable,
 * the libraries that it needs, and no shell. out/image-root.tar.gz is its content, for the Dockerfile.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { out, root as repository, sourceDate } from '../folders.mjs'

/** The user in the image, who owns nothing but the data. */
const USER = 10_001
const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' }
/** Libraries that glibc loads by name when it looks up a host. */
const LOOKUP = ['libnss_files.so.2', 'libnss_dns.so.2', 'libresolv.so.2']
const LISTEN = ['--host', '0.0.0.0', '--insecure-http']
const SECONDS = 1e9

/** Writes the image from out/svc. */
export async function buildImage() {
  const { version, description, license } = JSON.parse(readFileSync(path.join(repository, 'package.json'), 'utf8'))
  const layout = path.join(out, 'image')
  const blobs = path.join(layout, 'blobs', 'sha256')
  rmSync(layout, { recursive: true, force: true })
  mkdirSync(blobs, { recursive: true })
  const store = (mediaType, data) => {
    const sum = sha256(data)
    writeFileSync(path.join(blobs, sum), data)
    return { mediaType: `application/vnd.oci.image.${mediaType}`, digest: `sha256:${sum}`, size: data.length }
  }
  const layer = await tar(rootEntries())
  const created = new Date(sourceDate() * 1_000).toISOString()
  const config = store(
    'config.v1+json',
    json({
      created,
      architecture: ARCHITECTURES[process.arch],
      os: 'linux',
      config: {
        User: `${USER}:${USER}`,
        ExposedPorts: { '8123/tcp': {} },
        Env: ['PATH=/usr/bin', 'HOME=/data', 'SVC_DATA_DIR=/data/store'],
        Entrypoint: ['/usr/bin/svc'],
        // only the URL, because the whole line would show the key in the log
        Cmd: ['serve', ...LISTEN, '--save-profile', 'service', '--jq', '.url'],
        Volumes: { '/data': {} },
        WorkingDir: '/data',
        StopSignal: 'SIGTERM',
        Labels: {
          'org.opencontainers.image.title': 'svc',
          'org.opencontainers.image.description': description,
          'org.opencontainers.image.licenses': license,
          'org.opencontainers.image.version': version,
        },
        Healthcheck: {
          Test: ['CMD', '/usr/bin/svc', '--profile', 'service', 'whoami'],
          Interval: 30 * SECONDS,
          Timeout: 10 * SECONDS,
          StartPeriod: 30 * SECONDS,
        },
      },
      rootfs: { type: 'layers', diff_ids: [`sha256:${sha256(layer)}`] },
      history: [{ created, created_by: 'npm run package:image' }],
    }),
  )
  const root = gzipSync(layer)
  const layers = [store('layer.v1.tar+gzip', root)]
  writeFileSync(path.join(out, 'image-root.tar.gz'), root)
  const manifest = store('manifest.v1+json', json({ schemaVersion: 2, mediaType: MANIFEST, config, layers }))
  const annotations = { 'org.opencontainers.image.ref.name': version }
  writeFileSync(path.join(layout, 'index.json'), json({ schemaVersion: 2, manifests: [{ ...manifest, annotations }] }))
  writeFileSync(path.join(layout, 'oci-layout'), json({ imageLayoutVersion: '1.0.0' }))
  const file = path.join(out, `svc-${version}-image.tar`)
  writeFileSync(file, await tar(layoutEntries(layout)))
  return [file]
}

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'

/** Returns the files of the image in order. */
function rootEntries() {
  const text = (name, data) => ({ name, data: Buffer.from(data) })
  return [
    ...['etc', 'lib64', 'lib', 'lib/x86_64-linux-gnu', 'usr', 'usr/bin'].map(name => ({
      name,
      type: 'directory',
      mode: 0o755,
    })),
    { name: 'data', type: 'directory', mode: 0o700, uid: USER, gid: USER },
    { name: 'tmp', type: 'directory', mode: 0o1777 },
    text('etc/passwd', `svc:x:${USER}:${USER}:svc:/data:/usr/bin/svc\n`),
    text('etc/group', `svc:x:${USER}:\n`),
    text('etc/nsswitch.conf', 'hosts: files dns\n'),
    { name: 'usr/bin/svc', mode: 0o755, data: readFileSync(path.join(out, 'svc')) },
    ...libraries().map(file => ({ name: file.slice(1), mode: 0o755, data: readFileSync(file) })),
  ].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Returns the libraries of this machine that the executable and its native parts need. */
function libraries() {
  const listed = execFileSync('ldd', [path.join(out, 'svc')], { encoding: 'utf8' })
  const found = [...listed.matchAll(/(\/lib\S+)/g)].map(match => match[1])
  const folder = path.dirname(found.find(file => file.endsWith('/libc.so.6')))
  return [...new Set([...found, ...['librt.so.1', ...LOOKUP].map(name => path.join(folder, name))])]
}

function layoutEntries(layout) {
  const names = readdirSync(layout, { recursive: true }).sort()
  return names
    .filter(name => statSync(path.join(layout, name)).isFile())
    .map(name => ({ name, data: readFileSync(path.join(layout, name)) }))
}

/** Returns a tar file whose entries have the same time and, unless they say otherwise, the same mode and owner. */
function tar(entries) {
  const archive = pack()
  const mtime = new Date(sourceDate() * 1_000)
  for (const { data, ...header } of entries) archive.entry({ mode: 0o644, mtime, ...header }, data)
  archive.finalize()
  return buffer(archive)
}

function json(value) {
  return Buffer.from(JSON.stringify(value))
}

function sha256(data) {
  return createHash('sha256').update(data).digest('hex')
}
