/** Base path of the service, without a trailing slash. It is usually empty, except behind some proxies. */
export const BASE = document.documentElement.dataset['base'] ?? ''
