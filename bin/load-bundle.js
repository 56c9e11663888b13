/**
 * Loads dist/svc.cjs through V8's code cache. Compiling the bundle is the larger part of start-up; the cache made after a run
 * holds the functions that this kind of run needs. It lives in the user's cache folder: one file for each kind of run, and one
 * that kinds which never ran begin with. Names hold content hash, Node version and architecture, because V8 itself would take
 * the cache of another source of equal length. A cache that cannot be read or written is only slower, never an error.
 */
const fs = require('node:fs')
const path = require('node:path')
const vm = require('node:vm')
const Module = require('node:module')

const MONTH_MS = 30 * 86_400_000
/** Not the name of a command. */
const SHARED = '_shared'

/** The exports of the bundle, or undefined (said on stderr, exit code 1) when it was never built. */
function loadBundle(root, argv) {
  const file = path.join(root, 'dist', 'svc.cjs')
  let source
  let about
  try {
    // the build keeps the file within ASCII, so one byte is one character
    source = fs.readFileSync(file, 'latin1')
    about = JSON.parse(fs.readFileSync(path.join(root, 'dist', 'svc.json'), 'utf8'))
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    process.stderr.write('svc is not built: dist/svc.cjs is missing. Run `npm run build` in its folder first.\n')
    process.exitCode = 1
    return undefined
  }
  const folder = cacheFolder()
  const fileOf = kind => path.join(folder, `${about.hash}-${process.version}-${process.arch}-${kind}.v8`)
  const cacheFile = folder && fileOf(kindOfRun(argv, about.commands))
  const own = cacheFile && readCache(cacheFile)
  // most of what a command needs, every command needs: its first run takes what another kind of run has left
  const cachedData = own ?? (folder && readCache(fileOf(SHARED)))
  const script = new vm.Script(Module.wrap(source), { filename: file, cachedData })
  const bundle = new Module(file, null)
  bundle.filename = file
  bundle.paths = Module._nodeModulePaths(path.dirname(file))
  // the command line's framework finds the commands by requiring the file again
  require.cache[file] = bundle
  const requireFromBundle = Module.createRequire(file)
  script.runInThisContext().call(bundle.exports, bundle.exports, requireFromBundle, bundle, file, path.dirname(file))
  bundle.loaded = true
  if (cacheFile && (own === undefined || script.cachedDataRejected)) {
    const files = cachedData === undefined ? [cacheFile, fileOf(SHARED)] : [cacheFile]
    process.once('exit', () => writeCache(folder, files, script))
  }
  return bundle.exports
}

/** Runs of one command share the functions they use: `user-get`, `help`; what is no command has one cache together. */
function kindOfRun(argv, commands) {
  if (argv.length === 0 || argv.includes('--help') || argv.includes('-h') || argv[0] === 'help') return 'help'
  for (let words = Math.min(3, argv.length); words > 0; words--) {
    const name = argv.slice(0, words).join(' ')
    if (commands.includes(name)) return name.replaceAll(' ', '-')
  }
  return 'other'
}

/** SVC_CACHE_DIR, else svc in the platform's cache folder; undefined when there is no home either. */
function cacheFolder() {
  const { SVC_CACHE_DIR, XDG_CACHE_HOME, LOCALAPPDATA, HOME, USERPROFILE } = process.env
  if (SVC_CACHE_DIR) return path.resolve(SVC_CACHE_DIR)
  if (process.platform === 'win32') return LOCALAPPDATA && path.join(LOCALAPPDATA, 'svc', 'Cache')
  if (XDG_CACHE_HOME && path.isAbsolute(XDG_CACHE_HOME)) return path.join(XDG_CACHE_HOME, 'svc')
  const home = HOME || USERPROFILE
  if (!home) return undefined
  return process.platform === 'darwin' ? path.join(home, 'Library', 'Caches', 'svc') : path.join(home, '.cache', 'svc')
}

const SEAL_BYTES = 4
const BLOCK_BYTES = 512

/**
 * V8 crashes on damaged data, at every start from then on. So a file ends with a sum over one word of each block of a disk,
 * which finds blocks that were lost; a sum over every byte would cost more than the cache saves in a short run.
 */
function sealOf(data) {
  let sum = data.length
  for (let at = 0; at + 4 <= data.length; at += BLOCK_BYTES) sum = (Math.imul(sum, 31) + data.readInt32LE(at)) | 0
  return sum
}

/** The data without its seal, or undefined when the seal is broken. */
function sealed(file) {
  if (file.length <= SEAL_BYTES) return undefined
  const data = file.subarray(0, -SEAL_BYTES)
  return file.readInt32LE(data.length) === sealOf(data) ? data : undefined
}

/** Undefined when there is none, or when somebody else could have written it: what it holds is run. */
function readCache(cacheFile) {
  let fd
  try {
    fd = fs.openSync(cacheFile, 'r')
    const { uid, mode } = fs.fstatSync(fd)
    const isOurs = process.platform === 'win32' || (uid === process.getuid() && (mode & 0o022) === 0)
    return isOurs ? sealed(fs.readFileSync(fd)) : undefined
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) fs.closeSync(fd)
  }
}

function writeCache(folder, files, script) {
  const temporary = `${files[0]}.${process.pid}.tmp`
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    const data = script.createCachedData()
    const seal = Buffer.alloc(SEAL_BYTES)
    seal.writeInt32LE(sealOf(data))
    for (const file of files) {
      fs.writeFileSync(temporary, Buffer.concat([data, seal]), { mode: 0o600, flush: true })
      fs.renameSync(temporary, file)
    }
    removeOld(folder)
  } catch {
    // not writable, or full: the next run compiles again
    try {
      fs.rmSync(temporary, { force: true })
    } catch {}
  }
}

/** Caches of builds that nobody runs any more. */
function removeOld(folder) {
  const oldest = Date.now() - MONTH_MS
  for (const name of fs.readdirSync(folder)) {
    if (!name.endsWith('.v8') && !name.endsWith('.tmp')) continue
    const file = path.join(folder, name)
    if (fs.statSync(file).mtimeMs < oldest) fs.rmSync(file, { force: true })
  }
}

module.exports = { loadBundle }
