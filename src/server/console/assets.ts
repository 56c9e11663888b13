/** The console's built files for the browser, with their compressed forms. */
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { installation } from '../../core/installation/current.ts'

/** The build's file manifest; names are relative to the folder. */
export interface Manifest {
  readonly entry: string
  /** Files that the entry imports statically. */
  readonly preload: readonly string[]
  /** Pages by path, such as `/console/users/:userId`, with the files that each one needs besides the entry's. */
  readonly pages: readonly { readonly path: string; readonly preload: readonly string[] }[]
  readonly styles: readonly string[]
  readonly files: readonly string[]
}

export interface Asset {
  readonly type: string
  readonly bytes: Uint8Array
  /** Compression format; null if the bytes are not compressed. */
  readonly encoding: 'br' | 'gzip' | null
}

const MANIFEST = 'manifest.json'
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}
/** Extensions of fonts and pictures, which are compressed already. */
const COMPRESSED = new Set(['.png', '.woff2', '.ico'])
const ENCODERS = {
  br: (bytes: Uint8Array) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes),
} as const

export class ConsoleAssets {
  private readonly folder: string | null
  private known: { readonly at: number; readonly manifest: Manifest } | null = null
  /** Files by name and encoding. A file's name changes with its content. */
  private readonly made = new Map<string, Promise<Asset>>()

  /** `folder` is null if the build has no console. */
  constructor(folder: string | null) {
    this.folder = folder
  }

  /** Whether this build of svc contains the console. */
  get isBuilt(): boolean {
    return this.folder !== null && installation().modifiedAt(path.join(this.folder, MANIFEST)) !== undefined
  }

  /** Returns the current build's files; null if there are none. The build may have been replaced since the last call. */
  manifest(): Manifest | null {
    if (this.folder === null) return null
    const file = path.join(this.folder, MANIFEST)
    const at = installation().modifiedAt(file)
    if (at === undefined) return null
    if (this.known?.at !== at) {
      this.made.clear()
      // written by the build
      this.known = { at, manifest: JSON.parse(`${installation().read(file)}`) as Manifest }
    }
    return this.known.manifest
  }

  /** Returns a file in the manifest, in the smallest form that the browser accepts, or null if there is no such file. */
  asset(name: string, accepted: string): Promise<Asset> | null {
    const { folder } = this
    if (folder === null || !this.manifest()?.files.includes(name)) return null
    const isSmall = COMPRESSED.has(path.extname(name))
    const encoding = isSmall ? null : /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : null
    const key = `${encoding} ${name}`
    let made = this.made.get(key)
    if (made === undefined) {
      made = make(path.join(folder, name), encoding)
      made.catch(() => this.made.delete(key))
      this.made.set(key, made)
    }
    return made
  }
}

async function make(file: string, encoding: Asset['encoding']): Promise<Asset> {
  const plain = installation().read(file)
  const type = TYPES[path.extname(file)] ?? 'application/octet-stream'
  return { type, encoding, bytes: encoding === null ? plain : await ENCODERS[encoding](plain) }
}
