/**
 * Makes packages start faster within the bundle, above all the command line's framework. Each change keeps the parts that svc uses and
 * saves work at every start. A change whose target text is no longer found fails the build, so that a new version of the package is
 * noticed.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'

/**
 * Modules that no run of svc uses (searching for commands in folders, configuration in rc files, detecting WSL by starting
 * programs): left out, so that they are not evaluated.
 */
const UNUSED = {
  tinyglobby: 'module.exports = { glob() { throw new Error("commands are listed, not searched") } }',
  lilconfig: 'module.exports = { lilconfig() { throw new Error("configured in package.json") } }',
  minimatch: 'module.exports = { minimatch() { throw new Error("there are no plugins") } }',
  'wsl-utils': 'module.exports = { isWsl: false, async powerShellPath() { return "powershell.exe" } }',
  'get-package-type': 'module.exports = { sync() { return "commonjs" } }',
}

const INSTALLATION = path.join(path.dirname(import.meta.dirname), 'src', 'core', 'installation', 'current.ts')

/** A package that is required on first use. */
const lazyDefault = (name, id) => [
  `const ${name} = __importDefault(require("${id}"));`,
  `const ${name} = { get default() { return __importDefault(require("${id}")).default } };`,
]

/** By file within @oclif/core/lib: pairs of original text and replacement. */
const CHANGES = {
  // the first comparison by locale loads its tables: a third of a bare Node's start
  'config/plugin.js': [
    ['a.id.localeCompare(b.id)', '(a.id < b.id ? -1 : 1)'],
    // running a command needs only the names of all commands, which are in a separate file
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the framework's own text
    ["`${dotfile ? '.' : ''}oclif.manifest.json`", "this.options.pjson?.oclif?.manifest ?? 'oclif.manifest.json'"],
  ],
  // two short files are read: not worth loading another of Node's modules
  'util/fs.js': [
    [
      'const promises_1 = require("node:fs/promises");',
      // only svc's own manifest is read
      `const { installation } = require(${JSON.stringify(INSTALLATION)});
const promises_1 = { readFile: async file => installation().read(file).toString(), stat: async p => node_fs_1.statSync(p) };`,
    ],
  ],
  // it prints nothing without DEBUG
  'logger.js': [
    [
      'const debug_1 = __importDefault(require("debug"));',
      'const debug_1 = process.env.DEBUG ? __importDefault(require("debug")) : { default: () => () => {} };',
    ],
  ],
  // svc itself prints errors
  'errors/errors/cli.js': [
    lazyDefault('clean_stack_1', 'clean-stack'),
    lazyDefault('indent_string_1', 'indent-string'),
    lazyDefault('wrap_ansi_1', 'wrap-ansi'),
  ],
  'errors/errors/pretty-print.js': [
    lazyDefault('indent_string_1', 'indent-string'),
    lazyDefault('wrap_ansi_1', 'wrap-ansi'),
  ],
  // help, templates and styles: most runs do not use them
  'flags.js': [
    [
      'const help_1 = require("./help");',
      'const help_1 = { get loadHelpClass() { return require("./help").loadHelpClass } };',
    ],
  ],
  'errors/handle.js': [
    lazyDefault('clean_stack_1', 'clean-stack'),
    [
      'const index_1 = require("../help/index");',
      'const index_1 = { get Help() { return require("../help/index").Help } };',
    ],
  ],
  'config/config.js': [lazyDefault('ejs_1', 'ejs')],
  'ux/theme.js': [lazyDefault('ansis_1', 'ansis')],
  'ux/index.js': [lazyDefault('spinner_1', './action/spinner')],
  'ux/supports-color.js': [
    ['const supports_color_1 = require("supports-color");', ''],
    [
      'Boolean(supports_color_1.stdout) && Boolean(supports_color_1.stderr)',
      "Boolean(require('supports-color').stdout) && Boolean(require('supports-color').stderr)",
    ],
  ],
  // not faster, but readable: a list without spaces wraps within words
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the framework's own text
  'help/command.js': [["<options: ${flag.options.join('|')}>", "<options: ${flag.options.join(', ')}>"]],
  // compiling a template costs a millisecond, and most texts are not templates
  'help/util.js': [
    lazyDefault('ejs_1', 'ejs'),
    ['return ejs_1.default.render(t, context);', "return t.includes('<%') ? ejs_1.default.render(t, context) : t;"],
  ],
}

/**
 * SQLite's binding. Its folder is found as Node finds packages, and the file that the package ships is opened directly. Applying the rules
 * of package.json and listing folders would take Node longer than opening the file.
 */
const BINDING = `(() => {
  const { existsSync } = require('node:fs')
  let folder
  for (let at = dirname(__filename), above; ; at = above) {
    folder = join(at, 'node_modules', '@photostructure', 'sqlite')
    above = dirname(at)
    if (above === at || existsSync(folder)) break
  }
  const { platform, arch } = process
  const libc = platform === 'linux' && existsSync('/etc/alpine-release') ? 'musl' : 'glibc'
  const file = join(folder, 'prebuilds', platform + '-' + arch, '@photostructure+sqlite.' + libc + '.node')
  // the user has compiled it, or the package ships none for this platform
  if (existsSync(join(folder, 'build')) || !existsSync(file)) return require('node-gyp-build')(folder)
  const loaded = { exports: {} }
  process.dlopen(loaded, path.toNamespacedPath(file))
  return loaded.exports
})()`

/** @type {import('esbuild').Plugin} */
export const leanFramework = {
  name: 'lean-framework',
  setup({ onResolve, onLoad }) {
    const names = new RegExp(`^(${Object.keys(UNUSED).join('|')})$`)
    onResolve({ filter: names }, ({ path: name, importer }) =>
      importer.includes(`${path.sep}@oclif${path.sep}`) ? { path: name, namespace: 'unused' } : undefined,
    )
    // svc speaks English, and each of the fifty other languages is evaluated at every start
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
    }))
    onLoad({ filter: /.*/, namespace: 'unused' }, ({ path: name }) => ({ contents: UNUSED[name], loader: 'js' }))
    onLoad({ filter: /[\\/]@photostructure[\\/]sqlite[\\/]dist[\\/]index\.mjs$/ }, ({ path: file }) => ({
      contents: changed(file, [
        ['import nodeGypBuild from "node-gyp-build";', ''],
        ['nodeGypBuild(join(_dirname(), ".."))', BINDING],
        ['var __dirname = /* @__PURE__ */ getDirname();', ''],
      ]),
      loader: 'js',
    }))
    onLoad({ filter: /[\\/]@oclif[\\/]core[\\/]lib[\\/].*\.js$/ }, ({ path: file }) => {
      const name = file.split(/[\\/]@oclif[\\/]core[\\/]lib[\\/]/)[1].replaceAll('\\', '/')
      const changes = CHANGES[name]
      if (!changes) return undefined
      return { contents: changed(file, changes), loader: 'js' }
    })
  },
}

function changed(file, changes) {
  let contents = readFileSync(file, 'utf8')
  for (const [from, to] of changes) {
    if (contents.split(from).length !== 2) throw new Error(`${file} has changed: ${from}`)
    contents = contents.replace(from, () => to)
  }
  return contents
}
