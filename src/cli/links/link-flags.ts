/** The flags of each sign-in method, shared by its own command and `svc link`. */
import { boolean, string } from '@oclif/core/flags'
import { type FlagValues, repeatable } from '../runtime/shared-flags.ts'

/** A sign-in method that has its own command. */
export type LinkAuthType = 'password' | 'email' | 'oauth'

/** `--user`. */
export const linkUserFlag = () => string({ description: 'User to link', helpValue: 'USER' })

/** Flags of a sign-in with a user name and a password. */
export const passwordFlags = () => ({
  username: string({ description: 'User name at the provider' }),
  'password-stdin': boolean({ description: 'Read the password from stdin' }),
  region: string({ description: 'Region of the account, if the provider has regions' }),
  'mfa-code': string({ description: 'Code from the provider, if you already know it', helpValue: 'CODE' }),
})

/** Flags of a sign-in with an e-mail address. */
export const emailFlags = () => ({
  email: string({ description: 'E-mail address of the account', helpValue: 'ADDRESS' }),
  region: string({ description: 'Region of the account; defaults to us' }),
})

/** Flags of a sign-in with a consent page. */
export const oauthFlags = () => ({
  'redirect-url': string({ description: 'URL to return to afterwards', dependsOn: ['user'], helpValue: 'URL' }),
  approve: boolean({ description: 'Grant the requested scopes', exclusive: ['deny'] }),
  deny: boolean({ description: 'Deny all scopes' }),
  grant: string({
    description: 'Grant only this scope; can be repeated',
    dependsOn: ['approve'],
    ...repeatable,
    helpValue: 'SCOPE',
  }),
  account: string({
    description: 'Account at the provider that grants access',
    dependsOn: ['approve'],
    helpValue: 'NAME',
  }),
  'callback-url-stdin': boolean({
    description: 'Complete a sign-in at a live provider with the URL that it redirected to, read from stdin',
    exclusive: ['approve', 'deny', 'redirect-url'],
  }),
  'no-wait': boolean({ description: "Do not wait for a live provider's history to be pulled" }),
})

/** The values of these flags. */
export type PasswordValues = FlagValues<ReturnType<typeof passwordFlags>>
export type EmailValues = FlagValues<ReturnType<typeof emailFlags>>
export type OAuthValues = FlagValues<ReturnType<typeof oauthFlags>>
