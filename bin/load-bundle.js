/**
 * Loads dist/svc.cjs, and the packages and parts next to it, through V8's code cache. Compiling the bundle takes most of the start-up time;
 * the cache written after a run contains the functions that this kind of run needs. The user's cache folder has one file for each kind of
 * run and each package, and one that other kinds of run start from. V8 does not check cached code: it detects neither damage nor a changed
 * source of the same length. So a file is used only if its checksum is right for this bundle and this Node, and if nobody else could have
 * written it. A cache that cannot be read or written only slows down the start, and is never an error.
 */
const fs = require('node:fs')
const path = require('node:path')
const vm = require('node:vm')
const Module = require('node:module')
const { crc32 } = require('node:zlib')

const MONTH_MS = 30 * 86_400_000
/** Node modules that take up to two milliseconds to load, and that most runs do not use. */
const LATE_BUILTINS = [
  'node:child_process',
  'node:crypto',
  'node:fs/promises',
  'node:perf_hooks',
  'node:readline',
  'node:worker_threads',
]
/** Packages and parts of svc that only some commands need. */
const APART = /^\.\/(?:packages|parts|jq)\//
/** Cache name shared by all commands; no command has this name. */
const SHARED = '_shared'

/**
 * Returns the bundle's exports, or undefined (with a message on stderr and exit code 1) if the bundle was never built. `readFile` returns the
 * content of a file that ships with svc.
 */
function loadBundle(root, argv, readFile = fs.readFileSync) {
  const dist = path.join(root, 'dist')
  let about
  try {
    about = JSON.parse(`${readFile(path.join(dist, 'svc.json'))}`)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    process.stderr.write('svc is not built: dist/svc.json is missing. Run `npm run build` in its folder first.\n')
    process.exitCode = 1
    return undefined
  }
  const folder = cacheFolder()
  const isPrivate = folder !== undefined && isOurs(statOf(folder))
  const kind = kindOfRun(argv, about.commands)
  const caches = { folder, isPrivate, about, kind, readFile }
  const file = path.join(dist, 'svc.cjs')
  const requireFromBundle = Module.createRequire(file)
  const loaded = new Map()
  const register = id => module => loaded.set(id, module)
  const files = { readFile: async name => readFile(name) }
  const load = id => {
    if (LATE_BUILTINS.includes(id)) return lateBuiltin(id)
    // oclif finds the commands by requiring the bundle again
    if (loaded.has(id)) return loaded.get(id).exports
    if (!APART.test(id)) return requireFromBundle(id)
    // jq reads its binary
    const loadApart = name => (name === 'fs/promises' && id.startsWith('./jq/') ? files : requireFromBundle(name))
    return evaluated(path.join(dist, id), `.${path.basename(id, '.cjs')}`, caches, loadApart, register(id))
  }
  return evaluated(file, '', caches, load, register(file))
}

/** Returns a proxy for a Node module, which is loaded on first use. */
function lateBuiltin(id) {
  // kept here, because require() looks a module up again each time, which is noticeable in a function that hashes
  let loaded
  const load = () => {
    loaded ??= require(id)
    return loaded
  }
  return new Proxy(
    {},
    {
      get: (_, name) => load()[name],
      // import() copies all exports
      ownKeys: () => Reflect.ownKeys(load()),
      getOwnPropertyDescriptor: (_, name) => ({ value: load()[name], enumerable: true, configurable: true }),
    },
  )
}

/**
 * Runs a file as a CommonJS module, with the code cache of this kind of run, and returns its exports. `part` is appended to the cache name.
 */
function evaluated(file, part, { folder, isPrivate, about, kind, readFile }, load, register) {
  // the build writes ASCII only, so one byte is one character; bytes are joined here, because V8 would copy a joined string once more
  const [head, tail] = Module.wrapper.map(text => Buffer.from(text))
  const source = Buffer.concat([head, readFile(file), tail]).latin1Slice()
  const fileOf = name => path.join(folder, `${about.hash}-${process.version}-${process.arch}-${name}${part}.v8`)
  const cacheFile = folder && fileOf(kind)
  const maker = `${about.hash} ${process.version} ${process.versions.v8} ${process.arch}`
  const own = isPrivate ? readCache(cacheFile, maker) : undefined
  // commands mostly need the same functions, so the first run of a command uses the cache of another kind of run
  const cachedData = own ?? (isPrivate ? readCache(fileOf(SHARED), maker) : undefined)
  const script = new vm.Script(source, { filename: file, cachedData })
  const module = new Module(file, null)
  module.filename = file
  module.paths = Module._nodeModulePaths(path.dirname(file))
  register(module)
  script.runInThisContext().call(module.exports, module.exports, load, module, file, path.dirname(file))
  module.loaded = true
  if (cacheFile && (own === undefined || script.cachedDataRejected)) {
    const files = cachedData === undefined ? [cacheFile, fileOf(SHARED)] : [cacheFile]
    process.once('exit', () => writeCache(folder, files, { script, maker }))
  }
  return module.exports
}

/** Returns the kind of a run, such as `user-get` or `help`: runs of one command need the same functions. All other runs are one kind. */
function kindOfRun(argv, commands) {
  if (argv.length === 0 || argv.includes('--help') || argv.includes('-h') || argv[0] === 'help') return 'help'
  // global flags may come first, and their values are unknown here: a wrong guess only slows down the start
  const last = argv[0].startsWith('-') ? argv.length - 1 : 0
  for (let at = 0; at <= last; at++) {
    for (let words = Math.min(3, argv.length - at); words > 0; words--) {
      const name = argv.slice(at, at + words).join(' ')
      if (commands.includes(name)) return name.replaceAll(' ', '-')
    }
  }
  return 'other'
}

/** Returns SVC_CACHE_DIR, or else svc in the platform's cache folder; undefined if there is no home folder either. */
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

/**
 * Returns the checksum at the end of a file, over its bytes, its length and its origin (bundle, Node, V8, architecture). So a file that
 * another Node wrote under the same name is not accepted either.
 */
function sealOf(data, maker) {
  return crc32(data, crc32(`${maker} ${data.length}`))
}

/** Returns the data of a file without its checksum, or undefined if the checksum is wrong. */
function unsealed(file, maker) {
  if (file.length <= SEAL_BYTES) return undefined
  const data = file.subarray(0, -SEAL_BYTES)
  return file.readUInt32LE(data.length) === sealOf(data, maker) ? data : undefined
}

/** Returns whether nobody else can write there, because the contents of a cache are executed. Windows itself protects a user's folders. */
function isOurs(stat) {
  if (stat === undefined) return false
  return process.platform === 'win32' || (stat.uid === process.getuid() && (stat.mode & 0o022) === 0)
}

function statOf(name) {
  try {
    return fs.statSync(name)
  } catch {
    return undefined
  }
}

// opening a FIFO would block, and a link may point anywhere
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = fs.constants

/** Returns undefined if there is no valid cache. Removes a cache whose checksum is wrong, or that somebody else could have written. */
function readCache(cacheFile, maker) {
  let fd
  try {
    fd = fs.openSync(cacheFile, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
    const stat = fs.fstatSync(fd)
    const data = stat.isFile() && isOurs(stat) ? unsealed(fs.readFileSync(fd), maker) : undefined
    if (data === undefined) remove(cacheFile)
    return data
  } catch (error) {
    if (error.code !== 'ENOENT') remove(cacheFile)
    return undefined
  } finally {
    if (fd !== undefined) fs.closeSync(fd)
  }
}

/** Removes a cache file without a check, because only caches have such names. */
function remove(file) {
  try {
    fs.rmSync(file, { recursive: true, force: true })
  } catch {
    // the file stays but is not used
  }
}

/** Writes complete files, even for concurrent readers. Does not sync: a file cut off by a power failure has a wrong checksum. */
function writeCache(folder, files, { script, maker }) {
  const temporary = `${files[0]}.${process.pid}.tmp`
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (!isOurs(statOf(folder))) return
    const data = script.createCachedData()
    const seal = Buffer.alloc(SEAL_BYTES)
    seal.writeUInt32LE(sealOf(data, maker))
    for (const file of files) {
      // never writes through an existing link
      fs.writeFileSync(temporary, Buffer.concat([data, seal]), { mode: 0o600, flag: 'wx' })
      fs.renameSync(temporary, file)
    }
    removeOld(folder)
  } catch {
    // not writable, or full: the next run compiles again
    remove(temporary)
  }
}

/** Removes the caches of builds that are no longer used. */
function removeOld(folder) {
  const oldest = Date.now() - MONTH_MS
  for (const name of fs.readdirSync(folder)) {
    if (!name.endsWith('.v8') && !name.endsWith('.tmp')) continue
    const file = path.join(folder, name)
    if (fs.statSync(file).mtimeMs < oldest) fs.rmSync(file, { force: true })
  }
}

module.exports = { loadBundle, cacheFolder, isOurs, statOf }
