/**
 * Divides the bundle: modules that only some commands need are in dist/parts, one file for each part, which is read on first use. A module
 * exists once: modules that a part shares with the rest stay in dist/svc.cjs, which passes them to the part when loading it. So errors of a
 * part are instances of the same classes. V8 keeps an entry for each top-level function of a file, whether it runs or not, so every start
 * is faster without them.
 */
import path from 'node:path'
import { build } from 'esbuild'

/**
 * By part: the folders in src whose modules it contains. A module must be a command, or be reached through `import()` only. A part also
 * contains the modules that only its own modules need. Loading a part takes 2 ms, so commands that are run often are in no part.
 */
const PARTS = {
  files: ['connectors/files/', 'engine/intake/'],
  live: ['connectors/live/', 'engine/live/'],
  mcp: ['cli/mcp/'],
  commands: [
    'cli/docs/',
    'cli/recording/',
    'commands/doctor.ts',
    'commands/docs.ts',
    'commands/engine/',
    'commands/event/',
    'commands/init.ts',
    'commands/link/',
    'commands/listen.ts',
    'commands/provider/',
    'commands/serve.ts',
    'commands/webhook/',
  ],
  orders: ['catalogue/data/', 'commands/labs/', 'commands/order/', 'engine/labs/', 'engine/orders/'],
  server: ['server/', 'delivery/'],
  simulation: [
    'connectors/synthetic/',
    'engine/continuous/',
    'engine/events/examples/',
    'engine/recordings/',
    'engine/seeding/',
    'engine/triggers/',
    'engine/webhooks/',
  ],
  stores: ['store/copy/', 'store/postgres/', 'store/sqlite/salvage/'],
}

/** By part: packages that its other packages have a copy of, because they use all of the package and the bundle does not. */
const COPIES = { mcp: 'node_modules/zod/' }

/** Tells the plugin that it is resolving a module itself. */
const ASKED = Symbol('asked')

/** Builds the files of `options.entryPoints` and dist/parts; returns all files and their inputs, as esbuild does. */
export async function buildParts(options, plugins) {
  const root = options.absWorkingDir
  const whole = await build({ ...options, plugins, minify: false, logLevel: 'silent' })
  const members = membersOf(whole.metafile)
  const built = await Promise.all(
    Object.keys(PARTS).map(async part => {
      const modules = rootsOf(whole.metafile, members, part)
      const entryPoints = [{ in: `part:${part}`, out: `parts/${part}` }]
      const withShared = names => [partEntry(root, modules), sharedModules(root, members, part, names), ...plugins]
      // first as ES modules, whose import statements list the names that the part shares
      const draft = await build({
        ...options,
        entryPoints,
        format: 'esm',
        minify: false,
        minifyWhitespace: true,
        banner: {},
        logLevel: 'silent',
        plugins: withShared(undefined),
      })
      const shared = sharedNames(draft)
      const result = await build({
        ...options,
        entryPoints,
        plugins: withShared(shared),
        banner: {
          js: "'use strict';module.exports=(__shared,__bundle,require,process,console)=>{const module={exports:{}};",
        },
        footer: { js: 'return module.exports};' },
      })
      return { part, shared, result }
    }),
  )
  const shared = Object.fromEntries(built.map(each => [each.part, each.shared]))
  const main = await build({ ...options, plugins: [lateParts(root, members, shared), ...plugins] })
  const all = [main, ...built.map(each => each.result)]
  return {
    outputFiles: all.flatMap(each => each.outputFiles),
    metafile: {
      inputs: Object.assign({}, ...all.map(each => each.metafile.inputs)),
      outputs: Object.assign({}, ...all.map(each => each.metafile.outputs)),
    },
  }
}

/** Whether a module is the one that the bundle starts from, which requires a command on first use. */
const isEntry = name => name.startsWith('entry:')

/** The part whose folders contain a module, if any. */
function folderOf(name) {
  return Object.keys(PARTS).find(part => PARTS[part].some(folder => name.startsWith(`src/${folder}`)))
}

/** The modules that a module imports; `isLate`: through `import()`, from a folder of a part. */
function edgesOf(metafile, name) {
  return (metafile.inputs[name]?.imports ?? [])
    .filter(({ path: to, external }) => !external && metafile.inputs[to])
    .map(({ path: to, kind }) => {
      const part = folderOf(to)
      return { to, part, isLate: (kind === 'dynamic-import' || isEntry(name)) && part !== undefined }
    })
}

function reached(metafile, from) {
  const seen = new Set(from)
  for (const name of seen) for (const { to, isLate } of edgesOf(metafile, name)) if (!isLate) seen.add(to)
  return seen
}

/** The part of each module that belongs to one. A module that two parts need belongs to none. */
function membersOf(metafile) {
  const late = Object.keys(metafile.inputs).flatMap(name => edgesOf(metafile, name).filter(({ isLate }) => isLate))
  const entry = Object.keys(metafile.inputs).filter(isEntry)
  const main = reached(metafile, entry)
  const members = new Map()
  const several = new Set()
  for (const part of Object.keys(PARTS)) {
    for (const name of reached(
      metafile,
      late.filter(each => each.part === part).map(({ to }) => to),
    )) {
      if (main.has(name)) continue
      if (members.has(name)) several.add(name)
      members.set(name, part)
    }
  }
  for (const name of several) members.delete(name)
  return members
}

/** The modules of a part that others import. */
function rootsOf(metafile, members, part) {
  const names = Object.keys(metafile.inputs)
  const outside = names.filter(name => members.get(name) !== part)
  const roots = outside.flatMap(name => edgesOf(metafile, name)).filter(({ to }) => members.get(to) === part)
  if (roots.length === 0) throw new Error(`The part ${part} is empty: something imports its modules without import().`)
  return [...new Set(roots.map(({ to }) => to))].sort()
}

const absolute = (root, name) => JSON.stringify(path.join(root, name))

/** The exports of a part: each module that others import, evaluated on first use. */
function partEntry(root, modules) {
  const getters = modules.map(name => `get ${JSON.stringify(name)}() { return require(${absolute(root, name)}) }`)
  return {
    name: 'part-entry',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^part:/ }, ({ path: name }) => ({ path: name, namespace: 'part-entry' }))
      onLoad({ filter: /.*/, namespace: 'part-entry' }, () => ({
        contents: `module.exports = {\n${getters.join(',\n')}\n}`,
        resolveDir: root,
      }))
    },
  }
}

/** Within a part: modules of other files come from the bundle. Without `names`, they are left as imports. */
function sharedModules(root, members, part, names) {
  return {
    name: 'shared-modules',
    setup(esbuild) {
      esbuild.onResolve({ filter: /.*/ }, async args => {
        const name = await nameOf(esbuild, root, args)
        if (name === undefined || members.get(name) === part) return undefined
        if (name.startsWith(COPIES[part]) && args.importer.includes('node_modules')) return undefined
        const way = args.kind === 'import-statement' ? 'names' : 'whole'
        return names ? { path: name, namespace: `shared-${way}` } : { path: `shared-${way}:${name}`, external: true }
      })
      esbuild.onLoad({ filter: /.*/, namespace: 'shared-whole' }, ({ path: name }) => ({
        contents: `module.exports = __shared[${JSON.stringify(name)}].whole`,
      }))
      esbuild.onLoad({ filter: /.*/, namespace: 'shared-names' }, ({ path: name }) => {
        const from = `__shared[${JSON.stringify(name)}]`
        // an import is left out together with its importer
        const imported = names.get(name)?.names ?? new Set()
        if (imported.has('*')) return { contents: `module.exports = ${from}.whole` }
        const exported = [...imported].map(each => `export const ${each} = __module.${each}`)
        return {
          contents: `const __module = ${from}.names\n${exported.join('\n')}`.replace('const default =', 'default'),
        }
      })
    },
  }
}

/** By module: the names that the draft of a part imports, `*` for all of them, and whether it uses the module as a whole. */
function sharedNames({ outputFiles: [draft], metafile }) {
  const shared = new Map()
  const of = name => {
    const known = shared.get(name) ?? { names: new Set(), isWhole: false }
    shared.set(name, known)
    return known
  }
  for (const [, clause = '', name] of draft.text.matchAll(
    /\bimport\s*(?:([\w$\s{},*]*?)\s*from\s*)?"shared-names:([^"]+)"/g,
  )) {
    const { names } = of(name)
    const [, first, list = ''] = /^([^{]*)(?:\{([^}]*)\})?$/.exec(clause) ?? []
    if (first?.startsWith('*'))
      for (const each of membersUsed(draft.text, first.replace(/^\* ?as /, ''))) names.add(each)
    else if (first) names.add('default')
    for (const each of list.split(',')) if (each.trim()) names.add(each.trim().split(' as ')[0])
  }
  for (const { inputs } of Object.values(metafile.outputs))
    for (const input of Object.keys(inputs))
      for (const { path: to } of metafile.inputs[input]?.imports ?? [])
        if (to.startsWith('shared-whole:')) of(to.slice('shared-whole:'.length)).isWhole = true
  return shared
}

/** The names that a text uses from an imported object, `*` if it uses the object in another way. */
function membersUsed(text, object) {
  const uses = [
    ...text.matchAll(new RegExp(`(?<![\\w$.])${object.replaceAll('$', '\\$')}(?:\\.([\\w$]+)|(?![\\w$]))`, 'g')),
  ]
  // the first is the import itself
  return new Set(uses.slice(1).map(([, name]) => name ?? '*'))
}

/** Within the bundle: `import()` of a module of a part reads the part, which gets the modules that it shares. */
function lateParts(root, members, shared) {
  return {
    name: 'late-parts',
    setup(esbuild) {
      esbuild.onResolve({ filter: /^\.|^\// }, async args => {
        if (args.kind !== 'dynamic-import' && !['entry', 'part-shared'].includes(args.namespace)) return undefined
        const name = await nameOf(esbuild, root, args)
        return members.has(name) ? { path: name, namespace: 'part' } : undefined
      })
      esbuild.onResolve({ filter: /^part-(file|shared):/ }, ({ path: name }) => {
        const [namespace, part] = name.split(':')
        return { path: part, namespace }
      })
      esbuild.onLoad({ filter: /.*/, namespace: 'part' }, ({ path: name }) => ({
        contents: `module.exports = require('part-file:${members.get(name)}')[${JSON.stringify(name)}]`,
      }))
      esbuild.onResolve({ filter: /^\.\/parts\// }, ({ path: file }) => ({ path: file, external: true }))
      esbuild.onLoad({ filter: /.*/, namespace: 'part-file' }, ({ path: part }) => ({
        contents: `module.exports = require('./parts/${part}.cjs')(require('part-shared:${part}').modules, __bundle, require, process, console)`,
      }))
      esbuild.onLoad({ filter: /.*/, namespace: 'part-shared' }, ({ path: part }) => ({
        contents: sharedTable(root, shared[part]),
        resolveDir: root,
      }))
    },
  }
}

function sharedTable(root, shared) {
  const imports = []
  const entries = [...shared].map(([name, { names, isWhole }], at) => {
    const from = absolute(root, name)
    const local = each => `m${at}_${each}`
    const single = [...names].filter(each => each !== '*')
    if (names.size > 0)
      imports.push(`import { ${single.map(each => `${each} as ${local(each)}`).join(', ')} } from ${from}`)
    const getters = single.map(each => `get ${each}() { return ${local(each)} }`)
    const whole = isWhole || names.has('*') ? `get whole() { return require(${from}) },` : ''
    return `${JSON.stringify(name)}: { ${whole} names: { ${getters.join(', ')} } }`
  })
  return `${imports.join('\n')}\nexport const modules = {\n${entries.join(',\n')}\n}`
}

/** The name of the module in the lists of esbuild, or undefined if it is outside the bundle or made by another plugin. */
async function nameOf(esbuild, root, { path: specifier, pluginData, ...args }) {
  if (pluginData === ASKED || args.kind === 'entry-point') return undefined
  const {
    path: file,
    namespace,
    external,
    errors,
  } = await esbuild.resolve(specifier, {
    importer: args.importer,
    namespace: args.namespace,
    resolveDir: args.resolveDir,
    kind: args.kind,
    pluginData: ASKED,
  })
  if (errors.length > 0 || external || namespace !== 'file') return undefined
  return path.relative(root, file).replaceAll('\\', '/')
}
