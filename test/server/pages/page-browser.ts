/** A browser without scripts that keeps the cookies of hosted pages; redirects are not followed. */
import { hashSecret } from '../../../src/core/ids.ts'

export interface Shown {
  readonly status: number
  readonly text: string
  /** Where it redirects to, or ''. */
  readonly to: string
  readonly headers: Headers
}

export class PageBrowser {
  private readonly cookies = new Map<string, string>()
  private readonly base: string

  /** `base`: the URL for paths, without a trailing slash. */
  constructor(base: string) {
    this.base = base
  }

  /** Requests a path or URL, or submits a form. `headers` are those that browsers add and fetch does not. */
  async go(
    url: string,
    form?: Readonly<Record<string, string | readonly string[]>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Shown> {
    const fields = Object.entries(form ?? {}).flatMap(([name, values]) => [values].flat().map(value => [name, value]))
    const cookie = [...this.cookies].map(pair => pair.join('=')).join('; ')
    const response = await fetch(url.startsWith('/') ? this.base + url : url, {
      redirect: 'manual',
      headers: { ...headers, ...(cookie === '' ? {} : { cookie }) },
      ...(form ? { method: 'POST', body: new URLSearchParams(fields as [string, string][]) } : {}),
    })
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      this.cookies.set(name, value)
    }
    return {
      status: response.status,
      text: await response.text(),
      to: response.headers.get('location') ?? '',
      headers: response.headers,
    }
  }
}

/** Returns the URL that ends a link with success. */
export function successUrl(redirectUrl: string, linkToken: string): string {
  return `${redirectUrl}&state=success&link_token_hash=${hashSecret(linkToken)}`
}

/** Returns the URL to which a page redirects. */
export function refreshUrl({ text }: Shown): string {
  return (/http-equiv="refresh" content="0; url=([^"]+)"/.exec(text)?.[1] ?? '').replaceAll('&amp;', '&')
}

export function pageHeading({ text }: Shown): string | undefined {
  return /<h1[^>]*>([^<]*)/.exec(text)?.[1]
}

export function pageNotice({ text }: Shown): string | undefined {
  return /<footer><p>([^<]*)/.exec(text)?.[1]
}
