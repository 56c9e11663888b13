/** Base path of the service, without a slash at its end. Usually empty; behind a proxy, the service may have one. */
export const BASE = document.documentElement.dataset['base'] ?? ''
