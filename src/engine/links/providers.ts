/** Lists the providers that a link token can be used for, and the fields of each sign-in form. See docs/interface/linking.md#linking-3. */
import { isLinkable, type Provider } from '../../catalogue/providers.ts'
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import type { LinkTokenRecord } from '../../store/link.ts'
import { type EngineContext, type Handler, ok } from '../context.ts'
import { isFor, tokenOfCall, tokenRefusal } from './tokens.ts'

type FormComponents = ReplyBody<Operations['link.providers']>[number]['form_components']

export const linkProviders: Handler<'link.providers'> = async (engine, _input, call) => {
  const found = await tokenOfCall(engine, call, null)
  if (found.kind === 'refused') throw tokenRefusal(found)
  return ok(
    linkableProviders(engine, found.token).map(each => ({
      id: engine.providers.number(each.slug),
      name: each.name,
      slug: each.slug,
      description: each.description,
      logo: each.logo,
      oauth_url: null,
      auth_type: each.authType,
      form_components: signInForm(each),
    })),
  )
}

/** Returns the providers that a token can be used for, in catalogue order. */
export function linkableProviders({ providers }: EngineContext, token: LinkTokenRecord): Provider[] {
  return providers.all.filter(each => isLinkable(each) && isFor(token, each.slug))
}

/** Returns a sign-in form's fields, under the names used by the link operations. A consent page has no fields here. */
export function signInForm(provider: Provider): FormComponents {
  const { authType, regions } = provider
  const region: FormComponents =
    regions.length === 0
      ? {}
      : { region: { label: 'Region', type: 'select', required: authType === 'password', options: [...regions] } }
  if (authType === 'email') return { email: { label: 'E-mail address', type: 'email', required: true }, ...region }
  if (authType !== 'password') return {}
  return {
    username: { label: 'User name', type: 'text', required: true },
    password: { label: 'Password', type: 'password', required: true },
    ...region,
  }
}
