/** The container image: read by the programs of a container host, unpacked, and run as its user with a read-only root. */
import { execFileSync } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../kit/folder.ts'
import { root } from '../kit/sandbox.ts'
import { withoutMachineCopy, withoutPrograms } from './machine-copy.ts'
import { guideCommands, MB, out, packageFile, run, shell } from './packages.ts'

const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
const archive = packageFile('-image.tar')
const layout = `oci:${path.join(out, 'image')}:${version}`
const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' }
const MOST_UNPACKED_MB = 165
const MOST_COMPRESSED_MB = 60
const MOST_STOP_MS = 5_000

/** Runs the command of the image, and its health check until it succeeds. $1 is the root of the image, the rest its environment. */
const SERVE = `
root=$1; shift
mount --bind "$root" "$root"
mount -t tmpfs -o mode=700,uid=10001,gid=10001 tmpfs "$root/data"
mount -o remount,ro,bind "$root"
start() { exec env -i "$@" /usr/sbin/chroot --userspec=10001:10001 "$root" $COMMAND; }
COMMAND="$SERVE --port 0" start "$@" & pid=$!
for _ in $(seq 100); do (COMMAND=$HEALTH start "$@") > /dev/null 2>&1 && echo healthy && break; sleep 0.2; done
grep Uid "/proc/$pid/status" | cut -f2
(COMMAND='/usr/bin/svc --profile service user create ada --jq .client_user_id' start "$@")
before=$(date +%s%3N)
kill "$pid" && wait "$pid" && echo "stopped $(($(date +%s%3N) - before))"`

const noSkopeo = withoutPrograms('skopeo')
test.skipIf(noSkopeo !== '')(`the image can be read as a folder and as a tar file${noSkopeo}`, async () => {
  const inspect = async (name: string) => JSON.parse(await run('skopeo', ['inspect', name], env))
  const image = await inspect(layout)
  expect(image).toEqual(await inspect(`oci-archive:${archive}`))
  expect(image.Labels['org.opencontainers.image.version']).toBe(version)
  expect(readFileSync(archive).length / MB).toBeLessThan(MOST_COMPRESSED_MB)
  const folder = temporaryFolder()
  symlinkSync(archive, path.join(folder, path.basename(archive)))
  await shell(guideCommands()[4] ?? '', env, folder)
  expect((await inspect(`docker-archive:${folder}/svc-docker.tar`)).Labels).toEqual(image.Labels)
})

const without = withoutPrograms('skopeo', 'umoci') || withoutMachineCopy()
test.skipIf(without !== '')(`the image serves as its user, with a read-only root${without}`, async () => {
  const bundle = path.join(temporaryFolder(), 'bundle')
  // umoci also compares the digests
  await run('umoci', ['unpack', '--image', layout.replace('oci:', ''), bundle], env)
  const rootfs = path.join(bundle, 'rootfs')
  const bytes = execFileSync('du', ['-sb', rootfs], { encoding: 'utf8' }).split('\t')[0]
  expect(Number(bytes) / MB).toBeLessThan(MOST_UNPACKED_MB)
  const { config } = JSON.parse(await run('skopeo', ['inspect', '--config', '--raw', layout], env))
  const commands = {
    ...env,
    SERVE: [...config.Entrypoint, ...config.Cmd].join(' '),
    HEALTH: config.Healthcheck.Test.slice(1).join(' '),
  }
  const output = await run('unshare', ['--mount', 'sh', '-ec', SERVE, 'sh', rootfs, ...config.Env], commands)
  const [url, healthy, uid, user, stopped = ''] = output.trim().split('\n')
  expect([healthy, uid, user]).toEqual(['healthy', '10001', 'ada'])
  expect(url).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/)
  expect(Number(/^stopped (\d+)$/.exec(stopped)?.[1])).toBeLessThan(MOST_STOP_MS)
})

const noBuildah = withoutPrograms('skopeo', 'buildah') || withoutMachineCopy()
test.skipIf(noBuildah !== '')(`the Dockerfile builds the same image${noBuildah}`, async () => {
  const folder = temporaryFolder()
  const store = ['--storage-driver', 'vfs', '--root', path.join(folder, 'root'), '--runroot', path.join(folder, 'run')]
  const file = path.join(root, 'scripts', 'package', 'image', 'Dockerfile')
  const isolated = ['--isolation', 'chroot', '--format', 'docker']
  const copy = `oci-archive:${path.join(folder, 'image.tar')}`
  await run('buildah', [...store, 'build', ...isolated, '--file', file, '--tag', 'svc', out], env)
  await run('buildah', [...store, 'push', '--format', 'oci', 'svc', copy], env)
  const configOf = async (name: string) => JSON.parse(await run('skopeo', ['inspect', '--config', '--raw', name], env))
  const [built, ours] = [await configOf(copy), await configOf(layout)]
  for (const key of ['User', 'Env', 'Entrypoint', 'Cmd', 'Volumes', 'WorkingDir', 'StopSignal', 'ExposedPorts'])
    expect({ [key]: built.config[key] }).toEqual({ [key]: ours.config[key] })
})
