/** `svc profile add`. */
import path from 'node:path'
import { string as stringArg } from '@oclif/core/args'
import { boolean, string } from '@oclif/core/flags'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { askSecret } from '../../cli/runtime/prompt.ts'
import type { FlagValues } from '../../cli/runtime/shared-flags.ts'
import { readSecretLine } from '../../cli/runtime/standard-input.ts'
import { profileDocument } from '../../cli/views/profile-view.ts'
import { ServiceError } from '../../core/errors.ts'
import { type StoreUrl, storeUrlOfArgument, storeUrlText } from '../../core/store-url.ts'
import { factSheet } from '../../output/view.ts'
import { deleteKey } from '../../profile/keychain.ts'
import { withKeyInKeychain } from '../../profile/keychain-profile.ts'
import { BUILT_IN_PROFILE, type Profile, readProfileFile } from '../../profile/profile-file.ts'
import { checkProfileName, saveProfile, useProfile } from '../../profile/profile-store.ts'
import { checkBaseUrl, parseTimeout } from '../../profile/settings.ts'

export default class ProfileAdd extends SvcCommand {
  static override summary = 'Add a profile for a server or a data folder'
  static override description =
    'With --base-url, the profile is for a server; svc prompts for the API key, or reads it with --api-key-stdin. ' +
    'Without --base-url, the profile is for the embedded engine on the folder given by --data-dir, or on the ' +
    "PostgreSQL store given by --store. It then works as the local team or, with --api-key-stdin, as that key's " +
    "team. Only you can read the profile file; --keychain stores the key in the system's keychain instead: Keychain " +
    '(macOS), the Credential Manager (Windows) or a Secret Service such as GNOME Keyring (Linux).'
  static override examples = toExamples(
    'staging --base-url https://api.example.com --use',
    'scratch --data-dir ./scratch',
    'prod --store postgres://svc@db.example.com/svc',
    'staging --base-url https://api.example.com --keychain',
    'pass show svc | <%= config.bin %> <%= command.id %> staging --base-url https://api.example.com --api-key-stdin',
  )
  static override args = { name: stringArg({ required: true, description: 'Profile name' }) }
  static override flags = {
    'api-key-stdin': boolean({ description: 'Read the API key from stdin' }),
    'store-password-stdin': boolean({
      description: "Read the store's password from stdin and keep it in the profile file",
      exclusive: ['api-key-stdin'],
    }),
    keychain: boolean({ description: "Keep the API key in the system's keychain instead of the profile file" }),
    'header-prefix': string({
      description: "The server's header prefix, as in x-PREFIX-api-key",
      helpValue: 'PREFIX',
    }),
    timeout: string({ description: 'Timeout for each call', helpValue: '30s' }),
    'public-url': string({ description: 'Public URL of the link pages (embedded engine)', helpValue: 'URL' }),
    replace: boolean({ description: 'Replace an existing profile' }),
    use: boolean({ description: 'Make it the default profile' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ProfileAdd)
    checkProfileName(args.name)
    const file = readProfileFile()
    if (Object.hasOwn(file.profiles, args.name) && !flags.replace) {
      throw new ServiceError('conflict', `The profile "${args.name}" already exists.`, {
        suggestions: [
          args.name === BUILT_IN_PROFILE ? 'It is built in. Change it with --replace.' : 'Replace it with --replace.',
        ],
      })
    }
    const given = await this.buildProfile(flags)
    const profile = flags.keychain ? withKeyInKeychain(args.name, given) : given
    await saveProfile(args.name, profile)
    const replaced = Object.hasOwn(file.profiles, args.name) ? file.profiles[args.name]?.keychain : undefined
    if (replaced !== undefined) deleteKey(args.name, replaced)
    if (flags.use) await useProfile(args.name)
    const document = profileDocument(args.name, profile, flags.use ? args.name : file.current)
    await this.print(document, factSheet({ ...document }))
  }

  private async buildProfile(flags: FlagValues<typeof ProfileAdd.flags>): Promise<Profile> {
    const { timeout } = flags
    // Environment variables configure this command, not the profile that it stores.
    const { baseUrl, dataDir, store } = this.givenFlags
    if (baseUrl !== undefined && (dataDir !== undefined || store !== undefined)) {
      const other = dataDir === undefined ? '--store' : '--data-dir'
      throw new ServiceError(
        'usage',
        `--base-url and ${other} cannot be used together, because a server has its own data.`,
      )
    }
    if (store === undefined && flags['store-password-stdin'])
      throw new ServiceError('usage', '--store-password-stdin needs --store, with the URL of the store.')
    const storeUrl = store === undefined ? undefined : storeUrlOfArgument(store, '--store')
    if (timeout !== undefined) parseTimeout(timeout)
    const settled = baseUrl === undefined ? undefined : checkBaseUrl(baseUrl)
    // The embedded engine runs as the local team unless a key selects another team.
    const needsKey = settled !== undefined || flags['api-key-stdin']
    const apiKey = needsKey ? await this.apiKey(flags['api-key-stdin']) : undefined
    return {
      ...(settled === undefined ? {} : { baseUrl: settled }),
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(dataDir === undefined ? {} : { dataDir: path.resolve(dataDir) }),
      ...(storeUrl === undefined ? {} : { store: await storeText(storeUrl, flags['store-password-stdin']) }),
      ...(flags['header-prefix'] === undefined ? {} : { headerPrefix: flags['header-prefix'] }),
      ...(timeout === undefined ? {} : { timeout }),
      ...(flags['public-url'] === undefined ? {} : { publicUrl: checkBaseUrl(flags['public-url']) }),
    }
  }

  private async apiKey(fromStdin: boolean): Promise<string | undefined> {
    if (fromStdin) return readSecretLine('--api-key-stdin')
    if (this.canAsk) return askSecret('API key')
    this.hint('The profile has no API key. Set SVC_API_KEY, or add the profile again with --replace --api-key-stdin.')
    return undefined
  }
}

/**
 * Returns the store URL for the profile, with absolute paths, because later commands may run in other folders, and with the password if
 * there is one.
 */
async function storeText(url: StoreUrl, hasPassword: boolean): Promise<string> {
  const file = (name: string | null) => (name === null ? null : path.resolve(name))
  const { sslRootCert, sslCert, sslKey } = url
  const files = { sslRootCert: file(sslRootCert), sslCert: file(sslCert), sslKey: file(sslKey) }
  return storeUrlText({
    ...url,
    ...files,
    password: hasPassword ? await readSecretLine('--store-password-stdin') : null,
  })
}
